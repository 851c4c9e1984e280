const scope = globalThis as typeof globalThis & { quarterdeckKept?: Map<string, unknown> };

/**
 * A value of the whole process, which survives the reload of modules in development and ends with `stop()`.
 *
 * @param name unique in the console
 */
export function kept<T>(name: string, create: () => T): T {
  scope.quarterdeckKept ??= new Map();
  if (!scope.quarterdeckKept.has(name)) scope.quarterdeckKept.set(name, create());
  return scope.quarterdeckKept.get(name) as T;
}

/** Lets go of all that is kept, before the console starts again in the same process. */
export function forgetKept(): void {
  delete scope.quarterdeckKept;
}
