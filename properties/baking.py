"""How a character is baked, as stored on its armature object."""

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .kept import KEPT

BAKING = {
    "posewright_bake_range": EnumProperty(
        name="Range",
        description="Which frames are baked",
        items=(
            ("SCENE", "Scene", "From the scene's first frame to its last"),
            ("PREVIEW", "Preview", "The preview range of the timeline"),
            ("ACTION", "Action", "From the first key of the character's action to its last"),
            ("CUSTOM", "Custom", "From one frame to another"),
        ),
        override=KEPT,
    ),
    "posewright_bake_first": IntProperty(name="First", description="The first frame", default=1, override=KEPT),
    "posewright_bake_last": IntProperty(name="Last", description="The last frame", default=250, override=KEPT),
    "posewright_bake_step": IntProperty(
        name="Step", description="Bake every so many frames; the last one always", default=1, min=1, override=KEPT
    ),
    "posewright_bake_where": EnumProperty(
        name="Into",
        description="Where the keys go",
        items=(
            ("NEW", "New Action", "A new action with all that the present one has; the present one is kept"),
            ("OVER", "This Action", "Over the keys of the present action; a copy of it is kept"),
            ("NLA", "NLA Strip", "A strip above all others; the present action becomes a strip below it"),
        ),
        override=KEPT,
    ),
    "posewright_bake_interpolation": EnumProperty(
        name="Interpolation",
        description="How the curves go from key to key",
        items=(
            ("BEZIER", "Bezier", "Smooth"),
            ("LINEAR", "Linear", "Straight"),
            ("CONSTANT", "Constant", "Each pose stays until the next"),
        ),
        override=KEPT,
    ),
    "posewright_bake_carry_on": BoolProperty(
        name="Carry On",
        description="Begin each frame where the last one ended, where the search could otherwise land in another "
        "pose. The bake may then differ from what live posing shows",
        override=KEPT,
    ),
    "posewright_bake_speed": FloatProperty(
        name="Fastest Turn",
        description="How fast joints may turn, a second; 0 for any speed. Goals that move faster are not met. The bake "
        "may then differ from what live posing shows",
        default=0.0,
        min=0.0,
        soft_max=35.0,
        subtype="ANGLE",
        override=KEPT,
    ),
    "posewright_bake_smooth": BoolProperty(
        name="Smooth",
        description="Calm what shivers in what was solved, inside all limits. The bake may then differ from what live "
        "posing shows",
        override=KEPT,
    ),
    "posewright_bake_smooth_far": FloatProperty(
        name="At Goals",
        description="How far goals may be off for a smoother motion",
        default=0.0005,
        min=1e-6,
        max=1.0,
        unit="LENGTH",
        precision=4,
        override=KEPT,
    ),
    "posewright_bake_reduce": BoolProperty(
        name="Fewest Keys",
        description="Leave out all keys that are not needed to stay within a given error",
        override=KEPT,
    ),
    "posewright_bake_reduce_far": FloatProperty(
        name="At Goals",
        description="How far goals may be from where they were solved, for fewer keys",
        default=0.001,
        min=1e-5,
        max=1.0,
        unit="LENGTH",
        precision=4,
        override=KEPT,
    ),
    "posewright_bake_reduce_turn": FloatProperty(
        name="At Joints",
        description="How far each bone may turn from where it was solved, for fewer keys",
        default=0.008726646,
        min=1e-4,
        max=1.0,
        subtype="ANGLE",
        override=KEPT,
    ),
}
