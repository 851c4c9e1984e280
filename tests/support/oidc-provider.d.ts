/** The parts of oidc-provider that the tests use; it has no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): RequestListener;
    AccessToken: { find(token: string): Promise<{ scope?: string; destroy(): Promise<void> } | undefined> };
  }
}
