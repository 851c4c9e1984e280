import { OAuth2Tokens } from "arctic";
import { Strategy } from "remix-auth/strategy";
import { OAuth2Strategy } from "remix-auth-oauth2";
import { macOf } from "~/core/signing.server";
import {
  type Claims,
  discoverProvider,
  exchangeCode,
  type OAuthProvider,
  readIdentity,
} from "~/team/members/oauth-provider.service.server";
import type { EdgeContext } from "./context";

const STATE = "qd_oauth";
/** Time limit of a sign-in at the provider, in seconds. */
export const OAUTH_LIFE = 15 * 60;

export function stateCookie({ secure }: Pick<EdgeContext, "secure">): string {
  return secure ? `__Host-${STATE}` : STATE;
}

export const stateIn = (address: string | URL): string => new URL(address).searchParams.get("state") ?? "";

/** Binds the ID token to the browser's sign-in, as its cookie holds the state. */
const nonceOf = (state: string): string => macOf(`nonce:${state}`);

/** A person whom the provider has identified. */
export interface Identity {
  claims: Claims;
  idToken: string | undefined;
  /** Of the sign-in that has ended. */
  state: string;
}

type Verify<User> = Strategy.VerifyFunction<User, Identity>;

/** The library's strategy (state, PKCE) with a nonce, and the guarded fetch for the code exchange. */
class GuardedStrategy<User> extends OAuth2Strategy<User> {
  private readonly redirectUri: string;

  constructor(
    private readonly provider: OAuthProvider,
    context: Pick<EdgeContext, "origin" | "secure">,
    verify: Verify<User>,
  ) {
    const redirectURI = `${context.origin}/api/auth/callback`;
    super(
      {
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        authorizationEndpoint: provider.authorizationEndpoint,
        tokenEndpoint: provider.tokenEndpoint,
        redirectURI,
        scopes: provider.scopes,
        cookie: {
          name: stateCookie(context),
          path: "/",
          maxAge: OAUTH_LIFE,
          httpOnly: true,
          sameSite: "Lax",
          ...(context.secure ? { secure: true } : {}),
        },
      },
      async ({ request, tokens }) => {
        const data = tokens.data as { id_token?: unknown };
        const idToken = typeof data.id_token === "string" ? data.id_token : undefined;
        const state = stateIn(request.url);
        const accessToken = tokens.accessToken();
        const claims = await readIdentity(provider, { accessToken, idToken }, nonceOf(state));
        return verify({ claims, idToken, state });
      },
    );
    this.redirectUri = redirectURI;
  }

  protected override authorizationParams(params: URLSearchParams): URLSearchParams {
    const own = new URLSearchParams(params);
    own.set("nonce", nonceOf(params.get("state") ?? ""));
    return own;
  }

  protected override async validateAuthorizationCode(code: string, codeVerifier: string) {
    const { provider, redirectUri } = this;
    return new OAuth2Tokens(await exchangeCode(provider, { code, codeVerifier, redirectUri }));
  }
}

/** OAuth at the provider that the operator set up, whose endpoints are discovered. */
export class ProviderStrategy<User> extends Strategy<User, Identity> {
  override name = "oauth";

  constructor(
    private readonly contextOf: () => Pick<EdgeContext, "origin" | "secure">,
    verify: Verify<User>,
  ) {
    super(verify);
  }

  /** @throws Response that redirects to the provider if the address has no state */
  override async authenticate(request: Request): Promise<User> {
    const provider = await discoverProvider();
    return new GuardedStrategy(provider, this.contextOf(), this.verify).authenticate(request);
  }
}
