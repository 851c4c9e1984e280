import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { AuthFrame, Or, ProviderLink } from "~/features/members/components/auth-frame";
import { NewAccountForm } from "~/features/members/components/credential-form";
import { acceptWithPassword, invitationState } from "~/features/members/invitation.service.server";
import { AcceptInput } from "~/features/members/members.schema";
import { oauthProviderName } from "~/features/members/oauth-provider.service.server";
import { completeSignIn } from "~/features/members/sign-in.service.server";
import { intent, screen } from "~/http/screen.server";
import { linkAnswer, signedIn, signInMeta } from "~/http/signing-in.server";
import { Notice } from "~/ui/notice";
import { titled } from "~/ui/titled";

export const meta = titled("Invitation");

const { loader, action } = screen({
  access: "public",
  load: ({ params: { token = "" } }) =>
    linkAnswer({ token, provider: oauthProviderName() ?? null, ...invitationState(token) }),
  actions: {
    submit: intent({
      access: "public",
      input: AcceptInput,
      hide: ["password"],
      long: [],
      run: ({ input, params: { token = "" } }) => acceptWithPassword(token, input),
      done: (member, { request, context }) =>
        signedIn(completeSignIn(member, signInMeta(request, context), "password"), "/", context),
    }),
  },
});

export { action, loader };

export default function Invite() {
  const { token, provider, problem, email, member } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  if (problem !== null || email === null) {
    return (
      <AuthFrame title="Invitation" footer={<Link to="/login">Go to the sign-in</Link>}>
        <Notice kind="warning">{problem}</Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title={member ? "Choose a new password" : "Join the console"}
      subtitle={member ? "It replaces the old one, and ends your other sessions." : "The link works once."}
    >
      {provider && (
        <>
          <ProviderLink provider={provider} query={{ invite: token }} />
          <Or />
        </>
      )}
      <NewAccountForm result={result} email={email} submit={member ? "Save password" : "Join"} />
    </AuthFrame>
  );
}
