/** Processor time since `process.cpuUsage()` was read, in ms: unlike the time of day it doesn't depend on a busy machine. */
export function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
