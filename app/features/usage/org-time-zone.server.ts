/** The time zone by which an organisation's days are counted: the server's, as long as there is no setting. */
export function orgTimeZone(_orgId: string): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
