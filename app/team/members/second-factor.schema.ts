import { z } from "zod";
import { nameField } from "~/platform/catalogue/fields.schema";
import { PASSWORD_MAX } from "./members.shared";

/** A code of an authenticator app or a recovery code, as it is typed. */
const TypedCode = z
  .string({ error: "Enter the code" })
  .trim()
  .min(1, "Enter the code")
  .max(40, "Enter a 6-digit code or a recovery code");

export const CodeInput = z.object({ code: TypedCode });
export type CodeInput = z.infer<typeof CodeInput>;

export const PasswordProof = z.object({
  password: z
    .string({ error: "Enter your password" })
    .min(1, "Enter your password")
    .max(PASSWORD_MAX * 4),
});
export type PasswordProof = z.infer<typeof PasswordProof>;

export const FactorProof = z.object({
  proof: z
    .string({ error: "Enter your password or a code" })
    .min(1, "Enter your password or a code")
    .max(PASSWORD_MAX * 4)
    .describe("Your password, or a 6-digit code of the authenticator app"),
});
export type FactorProof = z.infer<typeof FactorProof>;

const PasskeyName = nameField("Enter a name", 60);

export const PasskeyInput = PasswordProof.extend({ name: PasskeyName });
export type PasskeyInput = z.infer<typeof PasskeyInput>;

export const PasskeyPatch = z.object({ name: PasskeyName });

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

export const AuthenticatorSetup = z.object({
  secret: z.string().describe("Base32; returned only now"),
  uri: z.string().describe("The same as an `otpauth://` address, which the QR code holds"),
});
export type AuthenticatorSetup = z.infer<typeof AuthenticatorSetup>;

export const RecoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).describe("Each signs in once; returned only now"),
});
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

export const SecondFactor = z.object({
  authenticator: z.boolean().describe("Whether sign-in with the password asks for a code"),
  recoveryCodes: z.int().describe("Unused recovery codes"),
  passkeys: z.array(Passkey),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** What browsers send, as text in a form's field. */
export const CredentialInput = z.object({
  credential: z
    .string({ error: "Your browser sent no passkey. Try again." })
    .max(20_000, "Your browser's passkey is too large. Try another one."),
});
export type CredentialInput = z.infer<typeof CredentialInput>;

const Base64Url = z
  .string()
  .regex(/^[\w-]*$/)
  .max(12_000);

const Credential = z.object({
  id: Base64Url.min(1).max(1400),
  rawId: Base64Url.max(1400),
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}).default({}),
});

export const RegisteredCredential = Credential.extend({
  response: z.object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});

export const SignedCredential = Credential.extend({
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.nullish().transform((value) => value ?? undefined),
  }),
});
