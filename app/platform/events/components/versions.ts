/** Versions of another epoch are newer. */
export function isNewer(version: string, current: string | undefined): boolean {
  if (current === undefined) return false;
  const [epoch, number] = version.split(".");
  const [knownEpoch, knownNumber] = current.split(".");
  return epoch !== knownEpoch || Number(number) > Number(knownNumber);
}
