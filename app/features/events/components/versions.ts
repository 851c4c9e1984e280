/** Versions of another start are newer. */
export function isNewer(version: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  const [epoch, number] = version.split(".");
  const [knownEpoch, knownNumber] = known.split(".");
  return epoch !== knownEpoch || Number(number) > Number(knownNumber);
}
