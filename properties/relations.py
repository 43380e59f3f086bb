"""What is stored of a relation: what parts of a body have to do with each other, whatever goals ask for."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .goals import POINTS
from .kept import KEPT, KEPT_LIST, NO_TURN, tell
from .names import apart_in, free_name

if TYPE_CHECKING:
    from mathutils import Quaternion, Vector

AXES = (
    ("X", "X: Bend", "About the X axis of the joint; by anatomical axes, how far it bends"),
    ("Y", "Y: Twist", "About the Y axis of the joint, along the bone; its twist"),
    ("Z", "Z: Side", "About the Z axis of the joint; by anatomical axes, to the side"),
)
KINDS = (
    ("COUPLING", "Coupling", "The angle of a joint follows those of others", "DRIVER", 0),
    ("WIRE", "Wire", "A strap, rope or muscle through points of bones cannot get longer", "CURVE_DATA", 1),
    ("LOOP", "Loop", "Two points of the body are held together: clasped hands, a hand on the hip", "LINKED", 2),
    ("COLLISION", "Collision", "The body keeps off an object, or off itself", "MOD_PHYSICS", 3),
    ("BALANCE", "Balance", "The centre of mass stays over the feet that are pinned", "CON_PIVOT", 4),
)
KIND_NUMBERS = {kind: number for kind, *_, number in KINDS}  # as `foreach_get` gives them
AGAINST = (
    ("SELF", "Body Itself", "The shapes of the body keep off each other: hands do not go through the thigh"),
    (
        "SPHERE",
        "Sphere",
        "A ball about the middle of the object's bounds, as wide as their longest side; or as an empty",
    ),
    ("PLANE", "Plane", "The plane through the object's origin; the body stays on the side of its Z axis"),
    ("BOX", "Box", "The box of the object's bounds, along its own axes"),
    ("MESH", "Mesh", "The surface of the mesh, by distances on a grid of 24 to 64 steps along its longest side"),
)


def _keep_parts_apart(part: "POSEWRIGHT_PG_relation_part", context: bpy.types.Context) -> None:
    owner: Any = part.id_data
    for relation in owner.posewright_relations:
        taken = [one.name for one in relation.parts]
        if taken.count(part.name) > 1 and any(one == part for one in relation.parts):
            part.name = free_name(part.name, taken).replace(".", "_")  # of a variable, a dot would end its name
    tell(part, context)


def _is_armature(_part: "POSEWRIGHT_PG_relation_part", thing: bpy.types.Object) -> bool:
    return thing.type == "ARMATURE"


class POSEWRIGHT_PG_relation_part(bpy.types.PropertyGroup):
    """A bone that has to do with a relation: a variable of a coupling, a point of a wire or a loop."""

    if TYPE_CHECKING:
        other: bool
        character: bpy.types.Object | None
        bone: str
        axis: str
        point: str
        offset: Vector
        mass: float


POSEWRIGHT_PG_relation_part.__annotations__ = {
    "name": StringProperty(
        name="Name",
        description="Of a coupling's variable, the name that stands for it in the expression",
        update=_keep_parts_apart,
        override=KEPT,
    ),
    "other": BoolProperty(
        name="Of Another",
        description="Of a loop: the bone is another character's; both are solved together",
        update=tell,
        override=KEPT,
    ),
    "character": PointerProperty(
        name="Character",
        description="The other character whose bone it is",
        type=bpy.types.Object,
        poll=_is_armature,
        update=tell,
        override=KEPT,
    ),
    "bone": StringProperty(name="Bone", description="The bone that it is about", update=tell, override=KEPT),
    "axis": EnumProperty(
        name="Axis",
        description="About which axis of the joint the angle is",
        items=AXES,
        update=tell,
        override=KEPT,
    ),
    "point": EnumProperty(
        name="Point",
        description="Which point of the bone it is",
        items=POINTS,
        update=tell,
        override=KEPT,
    ),
    "offset": FloatVectorProperty(
        name="Offset",
        description="The point of the bone, from its head, along its own axes",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "mass": FloatProperty(
        name="Mass",
        description="Of a balance: what weighs on the bone, at its point. Only shares of the whole count",
        default=1.0,
        min=0.0,
        unit="MASS",
        precision=3,
        update=tell,
        override=KEPT,
    ),
}


class POSEWRIGHT_PG_relation(bpy.types.PropertyGroup):
    """A relation of a character. Of each kind only some settings count."""

    if TYPE_CHECKING:
        kind: str
        mute: bool
        weight: float
        level: str
        parts: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_relation_part]"
        active_part: int
        bone: str
        axis: str
        expression: str
        length: float
        exact: bool
        turned: bool
        turn: Quaternion
        against: str
        thing: bpy.types.Object | None
        gap: float
        softness: float
        inside: float
        across: float
        along: float


POSEWRIGHT_PG_relation.__annotations__ = {
    "name": StringProperty(
        name="Name",
        description="The relation's name; no two of them share one",
        update=apart_in("posewright_relations"),
        override=KEPT,
    ),
    "kind": EnumProperty(name="Kind", description="What it is about", items=KINDS, update=tell, override=KEPT),
    "mute": BoolProperty(name="Mute", description="Leave the relation out", update=tell, override=KEPT),
    "weight": FloatProperty(
        name="Weight",
        description="How much the relation counts against others that cannot be had together",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1000.0,
        update=tell,
        override=KEPT,
    ),
    "level": EnumProperty(
        name="Holds",
        description="What happens where goals pull against the relation",
        items=(
            ("PIN", "Before Goals", "It is held before everything that is dragged or followed, as pins are"),
            ("GOAL", "Like Goals", "It gives way as goals do, by its weight"),
        ),
        update=tell,
        override=KEPT,
    ),
    "parts": CollectionProperty(
        name="Parts",
        description="The variables of a coupling; the points of a wire, in order; the two points of a loop; what "
        "weighs in a balance",
        type=POSEWRIGHT_PG_relation_part,
        override=KEPT_LIST,
    ),
    "active_part": IntProperty(
        name="Active Part", description="The variable or point whose settings are shown", min=0, override=KEPT
    ),
    "bone": StringProperty(
        name="Bone", description="Of a coupling: the bone whose joint follows", update=tell, override=KEPT
    ),
    "axis": EnumProperty(
        name="Axis",
        description="Of a coupling: the axis of the joint about which it follows",
        items=AXES,
        update=tell,
        override=KEPT,
    ),
    "expression": StringProperty(
        name="Expression",
        description="Of a coupling: the angle, in radians, out of its variables. Arithmetic with + - * /, brackets, "
        "pi, and the functions sin cos tan sqrt abs min max; nothing else",
        update=tell,
        override=KEPT,
    ),
    "length": FloatProperty(
        name="Length",
        description="Of a wire: how long it may be, in units of the armature",
        min=0.0,
        unit="LENGTH",
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "exact": BoolProperty(
        name="Exact",
        description="Of a wire: it cannot get shorter either, as a rod, or a rope that is kept tight",
        update=tell,
        override=KEPT,
    ),
    "turned": BoolProperty(
        name="With Turn",
        description="Of a loop: the first bone also turns with the second",
        update=tell,
        override=KEPT,
    ),
    "turn": FloatVectorProperty(
        name="Turn",
        description="Of a loop: how the first bone is turned, as seen from the second",
        size=4,
        default=NO_TURN,
        subtype="QUATERNION",
        update=tell,
        override=KEPT,
    ),
    "against": EnumProperty(
        name="Against",
        description="Of a collision: what the body keeps off",
        items=AGAINST,
        options=set(),  # not animated: each of them has other goals
        update=tell,
        override=KEPT,
    ),
    "thing": PointerProperty(
        name="Object",
        description="Of a collision: the object that the body keeps off",
        type=bpy.types.Object,
        update=tell,
        override=KEPT,
    ),
    "gap": FloatProperty(
        name="Gap",
        description="Of a collision: how much room is left between the surfaces, in units of the armature. Negative "
        "lets them sink in",
        unit="LENGTH",
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "softness": FloatProperty(
        name="Softness",
        description="Of a collision: so much earlier it begins to push, gently, in units of the armature",
        default=0.01,
        min=0.0,
        unit="LENGTH",
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "inside": FloatProperty(
        name="Inside",
        description="Of a balance: how far inside the support the centre of mass stays. 0 up to its very edge, 1 in "
        "its middle",
        default=0.2,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=tell,
        override=KEPT,
    ),
    "across": FloatProperty(
        name="Sideways",
        description="Of a balance: how much it counts to the left and right of where the feet point; 0 lets it fall",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1000.0,
        update=tell,
        override=KEPT,
    ),
    "along": FloatProperty(
        name="Forward",
        description="Of a balance: how much it counts to the front and back, as the feet point; 0 lets it fall",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1000.0,
        update=tell,
        override=KEPT,
    ),
}

RELATIONS = {
    "posewright_relations": CollectionProperty(
        name="Relations",
        description="What parts of the body have to do with each other",
        type=POSEWRIGHT_PG_relation,
        override=KEPT_LIST,
    ),
    "posewright_active_relation": IntProperty(
        name="Active Relation", description="The relation whose settings are shown", min=0, override=KEPT
    ),
}
