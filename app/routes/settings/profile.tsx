import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { changePassword, hasPassword } from "~/features/members/account.service.server";
import { PasswordCard, PasswordDialog, ProfileForm } from "~/features/members/components/profile-form";
import { SessionsCard } from "~/features/members/components/sessions-card";
import { TokenDialog } from "~/features/members/components/token-dialog";
import { TokensCard } from "~/features/members/components/tokens-card";
import { currentUser, updateProfile } from "~/features/members/member.service.server";
import { PasswordInput, ProfileInput } from "~/features/members/members.schema";
import { endAllSessions, endOwnSession, listOwnSessions } from "~/features/members/session.service.server";
import {
  createToken,
  grantableRoles,
  listTokens,
  revokeToken,
  scopesFor,
} from "~/features/members/token.service.server";
import { TokenForm } from "~/features/members/tokens.schema";
import { clearSessionCookie, requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, orToast, refuseIntent, takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";

const HERE = "/settings/profile";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({
    user: currentUser(actor),
    hasPassword: hasPassword(actor),
    sessions: listOwnSessions(actor),
    tokens: listTokens(actor),
    roles: grantableRoles(actor.role),
    scopes: scopesFor(actor.role),
    origin: context.origin,
  }));
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const done = (title: string, to = HERE, headers?: HeadersInit) =>
      redirectWithToast(to, { kind: "success", title }, context, headers);
    switch (intent) {
      case "save-profile": {
        const sent = await submitForm(form, ProfileInput, context, (input) => updateProfile(actor, input));
        return sent.done ? done("Profile saved") : sent.answer;
      }
      case "change-password": {
        const change = (input: PasswordInput) => changePassword(actor, input, context);
        const hide = ["currentPassword", "newPassword"];
        const sent = await submitForm(form, PasswordInput, context, change, { hide });
        return sent.done ? done("Password changed") : sent.answer;
      }
      case "create-token": {
        const sent = await submitForm(form, TokenForm, context, (input) => createToken(actor, input));
        // Answered, not redirected: the token stands in this page alone.
        return sent.done ? data({ result: null, made: sent.value }) : sent.answer;
      }
      case "revoke-token":
        return orDialog(HERE, "The token was not revoked", context, () => {
          revokeToken(actor, id);
          return done("Token revoked");
        });
      case "end-session":
        return orToast(HERE, "The session was not ended", context, () => {
          endOwnSession(actor, id);
          return done("Session ended");
        });
      case "sign-out-everywhere":
        endAllSessions(actor);
        return done("You are signed out everywhere", "/", { "Set-Cookie": clearSessionCookie(context) });
      default:
        return refuseIntent();
    }
  });
}

export default function Profile() {
  const { user, sessions, tokens, roles, scopes, origin, ...loaded } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const result = answer?.result;
  const named = tokens.find(({ id }) => id === search.get("id"));
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <ProfileForm user={user} result={dialog === null ? result : null} />
      <PasswordCard hasPassword={loaded.hasPassword} />
      <SessionsCard sessions={sessions} />
      <TokensCard tokens={tokens} gateway={scopes.includes("gateway.use") ? origin : undefined} />
      {dialog === "password" && loaded.hasPassword && (
        <PasswordDialog closeTo={HERE} email={user.email} result={result} />
      )}
      {dialog === "new-token" && (
        <TokenDialog
          closeTo={HERE}
          roles={roles}
          scopes={scopes}
          origin={origin}
          result={result}
          made={answer && "made" in answer ? answer.made : undefined}
        />
      )}
      {dialog === "revoke-token" && named && (
        <ConfirmDialog
          title={`Revoke ${named.name}?`}
          description="Programs that use it are refused at once. This can't be undone."
          closeTo={HERE}
          intent="revoke-token"
          values={{ id: named.id }}
          confirmLabel="Revoke"
        />
      )}
    </div>
  );
}
