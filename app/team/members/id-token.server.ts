import { createRemoteJWKSet, customFetch, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { now } from "~/core/clock.server";

/** Signed with the provider's keys, or with the client's secret (OpenID Connect Core 10.1). */
const ASYMMETRIC = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const SYMMETRIC = ["HS256", "HS384", "HS512"];
/** Tolerated difference of clocks, in seconds. */
const CLOCK_TOLERANCE = 60;

interface TokenIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  jwksUri: string | undefined;
}

let keySet: { uri: string; keys: ReturnType<typeof createRemoteJWKSet> } | undefined;

/** Cached by the library, which fetches again for an unknown key, at most every 30 s. */
function keysAt(uri: string, fetchKeys: (uri: string) => Promise<Response>) {
  if (keySet?.uri !== uri)
    keySet = { uri, keys: createRemoteJWKSet(new URL(uri), { [customFetch]: () => fetchKeys(uri) }) };
  return keySet.keys;
}

/**
 * Verifies an ID token (OpenID Connect Core 3.1.3.7): signature, issuer, audience, times, nonce.
 * @throws Error with the reason
 */
export async function verifyIdToken(
  token: string,
  nonce: string,
  { issuer, clientId, clientSecret, jwksUri }: TokenIssuer,
  fetchKeys: (uri: string) => Promise<Response>,
): Promise<JWTPayload> {
  const options = {
    issuer,
    audience: clientId,
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(now()),
    requiredClaims: ["sub", "exp", "iat"],
  };
  const isSymmetric = SYMMETRIC.includes(decodeProtectedHeader(token).alg ?? "");
  const verify = () => {
    if (isSymmetric) {
      if (clientSecret === null) throw new Error("The ID token needs a client secret");
      const secret = new TextEncoder().encode(clientSecret);
      return jwtVerify(token, secret, { ...options, algorithms: SYMMETRIC });
    }
    if (jwksUri === undefined) throw new Error("The provider publishes no keys");
    return jwtVerify(token, keysAt(jwksUri, fetchKeys), { ...options, algorithms: ASYMMETRIC });
  };
  const { payload } = await verify();
  if (payload.nonce !== nonce) throw new Error("The ID token belongs to another sign-in");
  if (payload.azp !== undefined && payload.azp !== clientId)
    throw new Error("The ID token is for another client");
  return payload;
}
