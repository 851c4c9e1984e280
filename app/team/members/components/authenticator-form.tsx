import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import type { Result } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { formProps } from "~/ui/server-form";
import { CodeField, useTextForm } from "./form-kit";

export interface AuthenticatorSetupView {
  secret: string;
  qr: { size: number; path: string };
}

/** White around the code: apps need four modules. */
const QUIET = 4;

/** The app's part of the setup: the code to scan, and the same as text. */
export function AuthenticatorSecret({ setup }: { setup: AuthenticatorSetupView }) {
  const { size, path } = setup.qr;
  const side = size + 2 * QUIET;
  return (
    <div className="flex flex-col items-center gap-3">
      <svg
        role="img"
        aria-label="QR code for the authenticator app"
        viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
        shapeRendering="crispEdges"
        className="size-48 rounded-md border border-line"
      >
        <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <div className="flex items-center gap-1">
        <code className="text-balance text-center font-mono text-xs">
          {setup.secret.replace(/(.{4})(?=.)/g, "$1 ")}
        </code>
        <CopyButton text={setup.secret} label="Copy the secret" />
      </div>
    </div>
  );
}

/** Confirms the setup by the first code. */
export function ConfirmCodeForm({ result }: { result: Result }) {
  const { form, fields, element, pending } = useTextForm<"code">("authenticator", result);
  return (
    <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
      {form.errors?.[0] && !fields.code.errors && <Notice kind="danger">{form.errors[0]}</Notice>}
      <CodeField field={fields.code} hint="The 6 digits that your app shows now" />
      <Button variant="primary" size="lg" name="intent" value="confirm-authenticator" pending={pending}>
        Confirm
      </Button>
    </Form>
  );
}

export function RecoveryCodeList({ codes }: { codes: readonly string[] }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warning" title="Store these codes now">
        They are shown only once. Each signs you in once without your app.
      </Notice>
      <ul
        aria-label="Recovery codes"
        className="grid gap-x-6 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <CopyButton text={codes.join("\n")} label="Copy All" wide />
      </div>
    </div>
  );
}
