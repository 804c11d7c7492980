/** ISO 8601 in UTC. @param milliseconds since 1970 */
export function toTime(milliseconds: number): string;
export function toTime(milliseconds: number | null): string | null;
export function toTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
