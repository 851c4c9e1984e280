import { Form } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import { Button, LinkButton } from "~/ui/button";
import { ConfirmDialog, RecordDialog } from "~/ui/confirm-dialog";
import { Dialog, DialogActions } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import type { Result } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { NameDialog } from "~/ui/name-dialog";
import { Notice } from "~/ui/notice";
import { inputProps, serverForm } from "~/ui/server-form";
import type { Passkey } from "../second-factor.schema";
import {
  AuthenticatorSecret,
  type AuthenticatorSetupView,
  ConfirmCodeForm,
  RecoveryCodeList,
} from "./authenticator-form";
import { FACTOR_TITLES } from "./factor-cards";
import { PasswordField } from "./form-kit";

/** What an action shows once, in place of the dialog. */
export type FactorShown =
  | { kind: "recovery-codes"; codes: string[] }
  | { kind: "passkey"; options: unknown; name: string };

interface FactorDialogProps {
  dialog: string | null;
  closeTo: string;
  email: string;
  result: Result;
  setup: AuthenticatorSetupView | undefined;
  passkey: Passkey | undefined;
  shown: FactorShown | undefined;
}

export function FactorDialog(props: FactorDialogProps) {
  const { dialog, closeTo, email, result, setup, passkey, shown } = props;
  const title = FACTOR_TITLES[dialog ?? ""] ?? "";
  if (shown?.kind === "recovery-codes") {
    return (
      <Dialog title="Recovery Codes" closeTo={closeTo} size="sm">
        <RecoveryCodeList codes={shown.codes} />
        <DialogActions>
          <LinkButton to={closeTo} preventScrollReset>
            Done
          </LinkButton>
        </DialogActions>
      </Dialog>
    );
  }
  if (shown?.kind === "passkey") {
    return (
      <Dialog
        title={title}
        description={`Your browser asks where to store the passkey "${shown.name}".`}
        closeTo={closeTo}
        size="sm"
      >
        <CreatePasskeyForm options={shown.options} closeTo={closeTo} />
      </Dialog>
    );
  }
  if (dialog === "authenticator" && setup) {
    return (
      <Dialog
        title={title}
        description="Scan the code with your authenticator app, or enter the secret there."
        closeTo={closeTo}
        size="sm"
      >
        <div className="flex flex-col gap-4">
          <AuthenticatorSecret setup={setup} />
          <ConfirmCodeForm result={result} />
        </div>
      </Dialog>
    );
  }
  if (dialog === "rename-passkey" || dialog === "remove-passkey") {
    return (
      <RecordDialog record={passkey} missing="Passkey not found. It may have been removed." closeTo={closeTo}>
        {({ id, name }) =>
          dialog === "remove-passkey" ? (
            <ConfirmDialog
              title={`Remove ${name}?`}
              description="It no longer signs you in. You are signed out everywhere else."
              closeTo={closeTo}
              intent="remove-passkey"
              values={{ id }}
              confirmLabel="Remove"
            />
          ) : (
            <NameDialog
              title={title}
              value={name}
              maxLength={60}
              id={id}
              closeTo={closeTo}
              result={result}
              intent="rename-passkey"
              submit="Save Changes"
            />
          )
        }
      </RecordDialog>
    );
  }
  const about = { title, description: DESCRIPTIONS[dialog ?? ""] ?? "", closeTo, email, result };
  return dialog === "remove-authenticator" || dialog === "recovery-codes" ? (
    <ProofDialog dialog={dialog} {...about} />
  ) : (
    <PasswordFirstDialog dialog={dialog ?? ""} {...about} />
  );
}

const DESCRIPTIONS: Record<string, string> = {
  authenticator: "Signs you out everywhere else once it is set up.",
  passkey: "Signs you out everywhere else.",
  "remove-authenticator": "Your password alone signs you in. Your recovery codes stop working.",
  "recovery-codes": "Your present recovery codes stop working.",
};

interface ProtectedDialogProps {
  dialog: string;
  title: string;
  description: string;
  closeTo: string;
  email: string;
  result: Result;
}

/** Asks for the password before a change of how one signs in; for a passkey, its name, too. */
function PasswordFirstDialog({ dialog, email, ...about }: ProtectedDialogProps) {
  const [, fields] = serverForm<"name" | "password">({ id: "factor", lastResult: about.result });
  return (
    <FormDialog
      {...about}
      size="sm"
      problem={fields.password.errors && null}
      intent={`begin-${dialog}`}
      label="Continue"
    >
      {/* For password managers. */}
      <input type="email" value={email} readOnly autoComplete="username" hidden />
      {dialog === "passkey" && (
        <Field
          label="Name"
          id={fields.name.id}
          error={fields.name.errors}
          hint="Such as the device it is stored on"
          required
        >
          <Input {...inputProps(fields.name, "text")} maxLength={60} />
        </Field>
      )}
      <PasswordField field={fields.password} label="Your password" />
    </FormDialog>
  );
}

function ProofDialog({ dialog, email, ...about }: ProtectedDialogProps) {
  const [, fields] = serverForm<"proof">({ id: "factor", lastResult: about.result });
  return (
    <FormDialog
      {...about}
      size="sm"
      problem={fields.proof.errors && null}
      intent={dialog}
      label={dialog === "recovery-codes" ? "Create Codes" : "Turn Off"}
    >
      <input type="email" value={email} readOnly autoComplete="username" hidden />
      <PasswordField field={fields.proof} label="Your password or a code" />
    </FormDialog>
  );
}

export function PasswordDialog({
  closeTo,
  email,
  result,
}: {
  closeTo: string;
  email: string;
  result: Result;
}) {
  const [, fields] = serverForm<"currentPassword" | "newPassword">({ id: "password", lastResult: result });
  return (
    <FormDialog
      title="Change Password"
      description="Signs you out everywhere else."
      closeTo={closeTo}
      size="sm"
      result={result}
      problem={(fields.currentPassword.errors || fields.newPassword.errors) && null}
      intent="change-password"
      label="Change Password"
    >
      {/* For password managers. */}
      <input type="email" value={email} readOnly autoComplete="username" hidden />
      <PasswordField field={fields.currentPassword} label="Current password" />
      <PasswordField field={fields.newPassword} label="New password" isNew />
    </FormDialog>
  );
}

/** Has the browser create the passkey on a click, as Safari wants, and posts it. */
function CreatePasskeyForm({ options, closeTo }: { options: unknown; closeTo: string }) {
  const [problem, setProblem] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  const create = async (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget;
    const field = form.elements.namedItem("credential");
    if (!(field instanceof HTMLInputElement) || field.value) return;
    event.preventDefault();
    setProblem(undefined);
    setWaiting(true);
    try {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON,
      );
      field.value = JSON.stringify(await navigator.credentials.create({ publicKey }));
      form.requestSubmit(form.querySelector<HTMLButtonElement>("button[name=intent]"));
    } catch {
      setProblem("Your browser created no passkey. Try again, or use another device.");
    }
    setWaiting(false);
  };
  return (
    <Form method="post" onSubmit={create}>
      <noscript>
        <Notice kind="warning">Adding a passkey needs JavaScript.</Notice>
      </noscript>
      {problem && <Notice kind="danger">{problem}</Notice>}
      <input type="hidden" name="credential" />
      <DialogActions withoutContent={!problem}>
        <LinkButton to={closeTo} preventScrollReset>
          Cancel
        </LinkButton>
        <Button variant="primary" name="intent" value="add-passkey" pending={isWaiting}>
          Create Passkey
        </Button>
      </DialogActions>
    </Form>
  );
}
