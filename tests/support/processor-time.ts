/**
 * Processor time of this thread in ms, independent of other load: the collector's and other threads aren't counted.
 *
 * @param since from `process.threadCpuUsage`
 */
export function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}
