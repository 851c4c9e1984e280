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
import { PasswordProofForm } from "~/team/members/components/credential-form";
import { startAddress } from "~/team/members/preferences.service.server";
import { CodeInput, PasswordProof } from "~/team/members/second-factor.schema";
import {
  beginAuthenticator,
  completeAuthenticator,
  findAuthenticatorSetup,
} from "~/team/members/second-factor.service.server";
import { Button, LinkButton } from "~/ui/button";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Second Factor");

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
      done: ({ recoveryCodes }) => ({ show: recoveryCodes }),
    }),
  },
});

export { action, loader };

export default function SetUp() {
  const { setup, isSignedOut, isDone, returnTo } = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
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
        {actionData?.shown && <RecoveryCodeList codes={actionData.shown} />}
        <LinkButton to={returnTo} reloadDocument variant="primary" size="lg">
          Continue
        </LinkButton>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Set up a second factor"
      subtitle={
        setup
          ? "Scan the code with your authenticator app, or enter the secret there."
          : "Your organization requires more than a password. Have an authenticator app ready, or sign out and sign in with a passkey."
      }
      footer={
        <Form method="post" action="/logout" reloadDocument className="flex justify-center">
          <Button size="sm" variant="ghost">
            Sign Out
          </Button>
        </Form>
      }
    >
      {setup ? (
        <>
          <AuthenticatorSecret setup={setup} />
          <ConfirmCodeForm result={actionData?.result} />
        </>
      ) : (
        <PasswordProofForm result={actionData?.result} intent="begin" />
      )}
    </AuthFrame>
  );
}
