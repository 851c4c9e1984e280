/** Crashes without progress after which work fails. */
const MAX_CRASHES = 10;

/**
 * Counts a crash of the process against a job or run that it interrupted. Progress sets the count to 0.
 * @param mayFail false where other work ran too, so that the cause is unknown
 * @returns the new count; undefined if the work must fail
 */
export function countCrash({ crashes }: { crashes: number }, mayFail: boolean): number | undefined {
  if (crashes + 1 < MAX_CRASHES) return crashes + 1;
  return mayFail ? undefined : MAX_CRASHES - 1;
}

/**
 * How much of such work starts at once after crashes: half as much with each one after the first, so that the cause runs
 * alone before it fails.
 */
export const limitAfterCrashes = (max: number, crashes: number): number =>
  Math.max(1, max >> Math.max(0, crashes - 1));
