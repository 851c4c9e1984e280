import { Form, useActionData, useLoaderData } from "@remix-run/react";
import { AppError } from "~/core/errors";
import { lacksFactor, readSetUpActor } from "~/http/authentication.server";
import type { EdgeContext } from "~/http/context.server";
import { safeReturnTo } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import {
  AuthenticatorSecret,
  ConfirmCodeForm,
  RecoveryCodeList,
} from "~/team/members/components/authenticator-form";
import { SetUpForm } from "~/team/members/components/credential-form";
import { NewPasskeyForm } from "~/team/members/components/passkey-form";
import { addPasskey, beginPasskey, offersPasskeys } from "~/team/members/passkeys.service.server";
import { startAddress } from "~/team/members/preferences.service.server";
import { CodeInput, CredentialInput, PasswordProof } from "~/team/members/second-factor.schema";
import {
  beginAuthenticator,
  completeAuthenticator,
  findAuthenticatorSetup,
} from "~/team/members/second-factor.service.server";
import { Button, LinkButton } from "~/ui/button";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Second Factor");

/** Its name, until it is renamed in the profile. */
const FIRST_PASSKEY = "Passkey";

function requireSetUpActor(request: Request, context: EdgeContext) {
  const actor = readSetUpActor(request, context);
  if (!actor) throw new AppError("unauthenticated", "You are signed out. Sign in and try again.");
  return actor;
}

/** For members with a password alone where the organization requires more: their session opens nothing else. */
const { loader, action } = screen({
  access: "public",
  load: ({ request, context, url: { searchParams } }) => {
    const actor = readSetUpActor(request, context);
    const returnTo = safeReturnTo(searchParams.get("returnTo"));
    return {
      returnTo: returnTo === "/" && actor ? startAddress(actor) : returnTo,
      setup: actor && findAuthenticatorSetup(actor),
      isSignedOut: !actor,
      isDone: !lacksFactor(request, context),
      passkeys: offersPasskeys(context.origin),
    };
  },
  actions: {
    begin: intent({
      access: "public",
      input: PasswordProof,
      hide: ["password"],
      long: [],
      run: ({ input, request, context }) =>
        beginAuthenticator(requireSetUpActor(request, context), input.password, context),
      done: (_, { url }) => ({ to: url.pathname + url.search }),
    }),
    "confirm-authenticator": intent({
      access: "public",
      input: CodeInput,
      hide: ["code"],
      long: [],
      run: ({ input, request, context }) =>
        completeAuthenticator(requireSetUpActor(request, context), input.code, context),
      // Shown, not redirected: only this response has the codes.
      done: ({ recoveryCodes }) => ({ show: { kind: "codes" as const, codes: recoveryCodes } }),
    }),
    "begin-passkey": intent({
      access: "public",
      input: PasswordProof,
      hide: ["password"],
      long: [],
      run: ({ input, request, context }) =>
        beginPasskey(requireSetUpActor(request, context), { ...input, name: FIRST_PASSKEY }, context),
      done: (options) => ({ show: { kind: "passkey" as const, options } }),
    }),
    "add-passkey": intent({
      access: "public",
      input: CredentialInput,
      hide: ["credential"],
      long: ["credential"],
      run: ({ input, request, context }) => addPasskey(requireSetUpActor(request, context), input.credential),
      done: (_, { url }) => ({ to: safeReturnTo(url.searchParams.get("returnTo")) }),
    }),
  },
});

export { action, loader };

export default function SetUp() {
  const { setup, isSignedOut, isDone, returnTo, passkeys } = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const shown = actionData?.shown;
  if (isSignedOut) {
    return (
      <AuthFrame title="Set up a second factor" subtitle="Sign in first.">
        <LinkButton to="/login" reloadDocument variant="primary" size="lg">
          Sign In
        </LinkButton>
      </AuthFrame>
    );
  }
  if (isDone) {
    return (
      <AuthFrame title="Your second factor is set up">
        {shown?.kind === "codes" && <RecoveryCodeList codes={shown.codes} />}
        <LinkButton to={returnTo} reloadDocument variant="primary" size="lg">
          Continue
        </LinkButton>
      </AuthFrame>
    );
  }
  const required = "Your organization requires more than a password.";
  const ways = passkeys
    ? `${required} If you have a passkey, sign out and sign in with it.`
    : `${required} Have an authenticator app ready.`;
  const showsCode = setup && shown?.kind !== "passkey";
  return (
    <AuthFrame
      title={shown?.kind === "passkey" ? "Add a passkey" : "Set up a second factor"}
      subtitle={
        shown?.kind === "passkey"
          ? "Your browser asks where to store it."
          : showsCode
            ? "Scan the code with your authenticator app, or enter the secret there."
            : ways
      }
      footer={
        <Form method="post" action="/logout" reloadDocument className="flex justify-center">
          <Button size="sm" variant="ghost">
            Sign Out
          </Button>
        </Form>
      }
    >
      {shown?.kind === "passkey" && <NewPasskeyForm options={shown.options} />}
      {showsCode && (
        <>
          <AuthenticatorSecret setup={setup} />
          <ConfirmCodeForm result={actionData?.result} />
        </>
      )}
      {!showsCode && !shown && <SetUpForm result={actionData?.result} passkeys={passkeys} />}
    </AuthFrame>
  );
}
