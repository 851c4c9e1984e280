/**
 * Keeps zod from making code out of strings, which the content security policy forbids. Set where zod keeps its
 * configuration, since importing zod for it would bring zod to every screen.
 */
export function forbidCompiledSchemas(): void {
  const scope = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  scope.__zod_globalConfig = Object.assign(scope.__zod_globalConfig ?? {}, { jitless: true });
}
