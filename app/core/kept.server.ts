const scope = globalThis as typeof globalThis & { quarterdeckKept?: Map<string, unknown> };

/**
 * A value of the whole process, which survives the reload of modules in development.
 *
 * @param name unique in the console
 */
export function kept<T>(name: string, create: () => T): T {
  scope.quarterdeckKept ??= new Map();
  if (!scope.quarterdeckKept.has(name)) scope.quarterdeckKept.set(name, create());
  return scope.quarterdeckKept.get(name) as T;
}
