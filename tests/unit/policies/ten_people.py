"""Ten people in three groups of 3, 3 and 4, whose figures can be counted by hand."""

AGES = [20, 21, 22, 40, 41, 42, 60, 61, 62, 63]
INCOMES = [100.0, 500.0, 900.0, 100.0, 100.0, 900.0, 0.0, 300.0, 600.0, 900.0]
SCHOOLS = ["low", "middle", "high", "low", "low", "low", "low", "middle", "high", "high"]
GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
PEOPLE = {"age": AGES, "income": INCOMES, "school": SCHOOLS}
