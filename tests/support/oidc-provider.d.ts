/** What the tests use of oidc-provider, which brings no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): RequestListener;
    AccessToken: { find(token: string): Promise<{ destroy(): Promise<void> } | undefined> };
  }
}
