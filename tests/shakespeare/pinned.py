"""Games of Shakespeare that must be the same everywhere (see `tests/contract/knowledge.py`)."""

RANDOM_ACTIONS = [[16, 17, 7, 13, 5], [8, 16, 16, 17, 13]]
CHANCE = 0x58E5382A1AB2250B
COURSE = "b9235d0673a69b384c00fb30f914008b4c2d4d04bf333c36a8bedaee833acecd"
FIRST_NETWORK = "c42c76ea7de56ef92a5f7db7a2c18a08d80880604c4857b9b240ae7a282f2277"
