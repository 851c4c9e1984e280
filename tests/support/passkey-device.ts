import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64 = (data: string | Buffer) => Buffer.from(data).toString("base64url");

/** CBOR byte strings of 24 to 255 bytes, and ASCII of fewer than 24. */
const bytes = (data: Buffer) => Buffer.concat([Buffer.from([0x58, data.length]), data]);
const ascii = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

interface Signing {
  challenge: string;
  origin: string;
  rpID: string;
  /** Whether the person unlocked the device. */
  isVerified?: boolean;
  counter?: number;
}

/** An authenticator with one passkey, as a hostile one may be: it signs what a test says. */
export class PasskeyDevice {
  readonly id = base64(randomBytes(16));
  userHandle: string | undefined;
  private counter = 0;
  private readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;

  constructor() {
    ({ publicKey: this.publicKey, privateKey: this.privateKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
    }));
  }

  private clientData(type: string, { challenge, origin }: Signing): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private authenticatorData({ rpID, isVerified = true, counter }: Signing, key?: Buffer): Buffer {
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (key ? HAS_KEY : 0);
    const head = Buffer.alloc(5);
    head[0] = flags;
    this.counter = counter ?? this.counter + 1;
    head.writeUInt32BE(this.counter, 1);
    return Buffer.concat([sha256(rpID), head, key ?? Buffer.alloc(0)]);
  }

  /** @returns the browser's response to creation options, as JSON */
  register(signing: Signing): string {
    const { x = "", y = "" } = this.publicKey.export({ format: "jwk" });
    const id = Buffer.from(this.id, "base64url");
    const coordinates = [x, y].map((part) => bytes(Buffer.from(part, "base64url")));
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}: ES256 on P-256.
    const cose = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      coordinates[0] ?? Buffer.alloc(0),
      Buffer.from([0x22]),
      coordinates[1] ?? Buffer.alloc(0),
    ]);
    const key = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ascii("fmt"),
      ascii("none"),
      ascii("attStmt"),
      Buffer.from([0xa0]),
      ascii("authData"),
      bytes(this.authenticatorData(signing, key)),
    ]);
    return JSON.stringify({
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64(this.clientData("webauthn.create", signing)),
        attestationObject: base64(attestation),
        transports: ["internal"],
      },
    });
  }

  /** @returns the browser's response to request options, as JSON */
  sign(signing: Signing): string {
    const clientData = this.clientData("webauthn.get", signing);
    const authenticatorData = this.authenticatorData(signing);
    const signature = createSign("sha256")
      .update(Buffer.concat([authenticatorData, sha256(clientData)]))
      .sign(this.privateKey);
    return JSON.stringify({
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64(clientData),
        authenticatorData: base64(authenticatorData),
        signature: base64(signature),
        ...(this.userHandle ? { userHandle: this.userHandle } : {}),
      },
    });
  }
}
