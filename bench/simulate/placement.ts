// Pure. Which website lives in which database.

/** Of websites by rank, the largest first: the second has half of it, the third a third. They add up to 1. */
export function zipfSizes(websites: number): number[] {
  const weights = Array.from({ length: websites }, (_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Each website, the largest first, goes to the database that is least full then. @returns the database of each website */
export function placeBySize(sizes: number[], databases: number): number[] {
  const full = new Float64Array(databases);
  const bySize = sizes.map((_, website) => website).sort((one, other) => sizeOf(other) - sizeOf(one) || one - other);
  function sizeOf(website: number): number {
    return sizes[website] as number;
  }
  const homes = new Array<number>(sizes.length);
  for (const website of bySize) {
    const least = full.indexOf(Math.min(...full));
    homes[website] = least;
    full[least] = (full[least] as number) + sizeOf(website);
  }
  return homes;
}

/** How many websites each database has. */
export function countWebsites(homes: number[], databases: number): number[] {
  const counts = new Array<number>(databases).fill(0);
  for (const home of homes) counts[home] = (counts[home] ?? 0) + 1;
  return counts;
}
