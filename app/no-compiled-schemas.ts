/**
 * Disables zod's code generation, which the CSP forbids. Set in its global configuration, since importing zod would
 * bring it to every screen.
 */
export function forbidCompiledSchemas(): void {
  const scope = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  scope.__zod_globalConfig = Object.assign(scope.__zod_globalConfig ?? {}, { jitless: true });
}
