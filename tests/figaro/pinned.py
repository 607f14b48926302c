"""Games of Figaro that must be the same everywhere (see `tests/contract/knowledge.py`)."""

RANDOM_ACTIONS = [[58, 87, 32, 24, 25], [42, 80, 82, 100, 79]]
CHANCE = 0x1C7644B71C1D2CE1
COURSE = "48780f7735f49ac70eacd3c449dabf341324b603b4bbd1535a19512f18b6b0b9"
FIRST_NETWORK = "b4de8e4725a2ae72a7d2ffe690a402784f0812c760a4288f00016ef9b323e14d"
