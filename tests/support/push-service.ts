import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface Push {
  headers: IncomingHttpHeaders;
  text: string;
  /** Verified claims of the VAPID token. */
  claims: { aud: string; exp: number; sub: string };
  publicKey: string;
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length));

/** Verifies RFC 8292. @throws Error for a bad signature */
function readVapid(header: string): Pick<Push, "claims" | "publicKey"> {
  const [, token = "", publicKey = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
  const [head = "", body = "", signature = ""] = token.split(".");
  const point = Buffer.from(publicKey, "base64url");
  const key = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url")))
    throw new Error("The VAPID token's signature is wrong.");
  return { claims: JSON.parse(Buffer.from(body, "base64url").toString()), publicKey };
}

/** A push service with a browser: responds 201, or `status`. */
export async function startPushService() {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = randomBytes(16);

  /** RFC 8291, 3.4 and RFC 8188. */
  function decrypt(message: Buffer): string {
    const salt = message.subarray(0, 16);
    const keyLength = message.readUInt8(20);
    const sender = message.subarray(21, 21 + keyLength);
    const shared = browser.computeSecret(sender);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
    const input = derive(shared, auth, info, 32);
    const key = derive(input, salt, "Content-Encoding: aes128gcm\0", 16);
    const nonce = derive(input, salt, "Content-Encoding: nonce\0", 12);
    const cipher = message.subarray(21 + keyLength);
    const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(cipher.subarray(-16));
    const padded = Buffer.concat([decipher.update(cipher.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }

  const received: Push[] = [];
  const answer = { status: 201 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      if (answer.status === 201) {
        const text = decrypt(Buffer.concat(chunks));
        received.push({ headers, text, ...readVapid(headers.authorization ?? "") });
      }
      response.writeHead(answer.status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    subscription: {
      endpoint: `http://127.0.0.1:${port}/send/1`,
      keys: { p256dh: browser.getPublicKey("base64url"), auth: auth.toString("base64url") },
    },
    received,
    answer,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
