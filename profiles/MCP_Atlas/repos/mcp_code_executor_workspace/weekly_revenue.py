"""Revenue per ISO week, from /data/visitors.csv."""
import csv
import datetime
from collections import defaultdict

totals = defaultdict(float)
with open("/data/visitors.csv", newline="") as file:
    for row in csv.DictReader(file):
        year, week, _ = datetime.date.fromisoformat(row["date"]).isocalendar()
        totals[year, week] += float(row["revenue_eur"])
for (year, week), total in sorted(totals.items()):
    print(f"{year}-W{week:02} {total:.2f}")
