import { useActionData, useLoaderData } from "@remix-run/react";
import { LeaveCard, OffboardingFields } from "~/console/offboarding/components/offboarding-fields";
import { OffboardingInput } from "~/console/offboarding/offboarding.schema";
import { leaveOrganisation, listOwnedData } from "~/console/offboarding/offboarding.service.server";
import { signedOutHeaders } from "~/http/authentication.server";
import { intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { EnterSendsChoice, StartPageChoice } from "~/platform/settings/settings.schema";
import { listTokenBudgetWarnings } from "~/team/budgets/budgets.service.server";
import { AuthenticatorCard, FACTOR_TITLES, PasskeysCard } from "~/team/members/components/factor-cards";
import { PasswordCard, ProfileForm, StartPageCard } from "~/team/members/components/profile-form";
import { browserName, SessionsCard } from "~/team/members/components/sessions-card";
import { TokensCard } from "~/team/members/components/tokens-card";
import { currentUser, refusalToLeave, updateProfile } from "~/team/members/member.service.server";
import { PasswordInput, ProfileInput } from "~/team/members/members.schema";
import {
  addPasskey,
  beginPasskey,
  offersPasskeys,
  removePasskey,
  renamePasskey,
} from "~/team/members/passkeys.service.server";
import { readUserSettings, updateUserSettings } from "~/team/members/preferences.service.server";
import {
  CodeInput,
  CredentialInput,
  FactorProof,
  PasskeyInput,
  PasskeyPatch,
  PasswordProof,
  type RecoveryCodes,
} from "~/team/members/second-factor.schema";
import {
  beginAuthenticator,
  completeAuthenticator,
  createRecoveryCodes,
  findAuthenticatorSetup,
  readSecondFactor,
  removeAuthenticator,
  requiresSecondFactor,
} from "~/team/members/second-factor.service.server";
import { endAllSessions, endOwnSession, listOwnSessions } from "~/team/members/session.service.server";
import { changePassword, hasPassword } from "~/team/members/sign-in.service.server";
import {
  createToken,
  grantableRoles,
  listTokens,
  revokeToken,
  tokenScopes,
} from "~/team/members/token.service.server";
import { TokenForm } from "~/team/members/tokens.schema";
import { PreferencesCard } from "~/team/notifications/components/preferences-card";
import { PushCard } from "~/team/notifications/components/push-card";
import { NotificationPreferencesForm } from "~/team/notifications/notifications.schema";
import {
  readPreferences,
  readPushSettings,
  savePreferencesForm,
  unsubscribeBrowser,
} from "~/team/notifications/notifications.service.server";
import { ConfirmDialog, MissingDialog, RecordDialog } from "~/ui/confirm-dialog";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { LoadingDialog, lazyDialog, useOpenDialog } from "~/ui/use-open-dialog";
import { ChatPreferences } from "~/work/chat/components/chat-preferences";
import { OwnAccountsCard } from "~/work/plugins/components/account-row";
import {
  disconnectAccount,
  listOwnAccounts,
  startConnect,
} from "~/work/plugins/mcp/oauth/connect.service.server";
import { PausedWorkflows } from "~/work/workflows/components/paused-workflows";
import { listWorkflowsOf } from "~/work/workflows/workflows.service.server";

export const meta = pageTitle("Profile", "Settings");

const FactorDialog = lazyDialog(
  () => import("~/team/members/components/factor-dialogs").then((module) => module.FactorDialog),
  ({ dialog, closeTo }) => ({ title: FACTOR_TITLES[dialog ?? ""] ?? "", closeTo, size: "sm" }),
);

const PasswordDialog = lazyDialog(
  () => import("~/team/members/components/factor-dialogs").then((module) => module.PasswordDialog),
  ({ closeTo }) => ({ title: "Change Password", closeTo, size: "sm" }),
);

const TokenDialog = lazyDialog(
  () => import("~/team/members/components/token-dialog").then((module) => module.TokenDialog),
  ({ created, closeTo }) => ({ title: created ? created.name : "New API Token", closeTo }),
);

const HERE = "/settings/profile";

/** Shown, not redirected: only this response has them. */
const showCodes = ({ recoveryCodes }: RecoveryCodes) => ({
  show: { kind: "recovery-codes" as const, codes: recoveryCodes },
});

const { loader, action } = screen({
  access: "signed-in",
  load: ({ actor, context, url: { searchParams } }) => {
    const tokens = listTokens(actor);
    const { enterSends, startPage } = readUserSettings(actor);
    return {
      user: currentUser(actor),
      enterSends,
      startPage,
      mayChat: may(actor, "chat.use"),
      hasPassword: hasPassword(actor),
      factor: readSecondFactor(actor),
      setup: findAuthenticatorSetup(actor),
      offersPasskeys: offersPasskeys(context.origin),
      requiresFactor: requiresSecondFactor(actor.orgId),
      preferences: readPreferences(actor),
      push: readPushSettings(actor),
      sessions: listOwnSessions(actor),
      tokens,
      accounts: listOwnAccounts(actor),
      budgetWarnings: listTokenBudgetWarnings(actor, tokens),
      roles: grantableRoles(actor.role),
      scopes: tokenScopes(actor.role),
      origin: context.origin,
      stays: refusalToLeave(actor),
      owned: searchParams.get("dialog") === "leave" ? listOwnedData(actor, actor.userId) : [],
      pausing: searchParams.get("dialog") === "leave" ? listWorkflowsOf(actor, actor.userId) : [],
    };
  },
  actions: {
    "begin-authenticator": intent({
      access: "signed-in",
      input: PasswordProof,
      hide: ["password"],
      run: ({ actor, input, context }) => beginAuthenticator(actor, input.password, context),
      done: { to: `${HERE}?dialog=authenticator` },
    }),
    "confirm-authenticator": intent({
      access: "signed-in",
      input: CodeInput,
      hide: ["code"],
      run: ({ actor, input, context }) => completeAuthenticator(actor, input.code, context),
      done: showCodes,
    }),
    "recovery-codes": intent({
      access: "signed-in",
      input: FactorProof,
      hide: ["proof"],
      run: ({ actor, input, context }) => createRecoveryCodes(actor, input.proof, context),
      done: showCodes,
    }),
    "remove-authenticator": intent({
      access: "signed-in",
      input: FactorProof,
      hide: ["proof"],
      run: ({ actor, input, context }) => removeAuthenticator(actor, input.proof, context),
      done: "Authenticator app turned off",
    }),
    "begin-passkey": intent({
      access: "signed-in",
      input: PasskeyInput,
      hide: ["password"],
      run: ({ actor, input, context }) => beginPasskey(actor, input, context),
      done: (options, { input: { name } }) => ({ show: { kind: "passkey" as const, options, name } }),
    }),
    "add-passkey": intent({
      access: "signed-in",
      input: CredentialInput,
      hide: ["credential"],
      run: ({ actor, input }) => addPasskey(actor, input.credential),
      done: ({ name }) => `"${name}" added`,
    }),
    "rename-passkey": intent({
      access: "signed-in",
      target: "id",
      input: PasskeyPatch,
      run: ({ actor, target, input }) => renamePasskey(actor, target, input.name),
      done: "Passkey renamed",
    }),
    "remove-passkey": intent({
      access: "signed-in",
      target: "id",
      run: ({ actor, target }) => removePasskey(actor, target),
      done: "Passkey removed",
      failed: { dialog: "Couldn't remove the passkey" },
    }),
    "save-profile": intent({
      access: "signed-in",
      input: ProfileInput,
      run: ({ actor, input: { version, ...names } }) => updateProfile(actor, names, version),
      done: "Profile saved",
    }),
    "save-chat": intent({
      access: "signed-in",
      input: EnterSendsChoice,
      run: ({ actor, input }) => updateUserSettings(actor, input),
      failed: "page",
    }),
    "save-start-page": intent({
      access: "signed-in",
      input: StartPageChoice,
      run: ({ actor, input }) => updateUserSettings(actor, input),
      done: "Start page saved",
      failed: "page",
    }),
    "save-notifications": intent({
      access: "signed-in",
      input: NotificationPreferencesForm,
      run: ({ actor, input }) => savePreferencesForm(actor, input.channels),
      done: "Notifications saved",
      failed: "page",
    }),
    "remove-browser": intent({
      access: "signed-in",
      target: "id",
      run: ({ actor, target }) => unsubscribeBrowser(actor, target),
      done: "Browser removed",
      failed: { toast: "Couldn't remove the browser" },
    }),
    "change-password": intent({
      access: "signed-in",
      input: PasswordInput,
      hide: ["currentPassword", "newPassword"],
      run: ({ actor, input, context }) => changePassword(actor, input, context),
      done: "Password changed",
    }),
    "create-token": intent({
      access: "signed-in",
      input: TokenForm,
      run: ({ actor, input }) => createToken(actor, input),
      // Shown, not redirected: only this response has the token.
      done: (created) => ({ show: { created } }),
    }),
    "revoke-token": intent({
      access: "signed-in",
      target: "id",
      run: ({ actor, target }) => revokeToken(actor, target),
      done: "Token revoked",
      failed: { dialog: "Couldn't revoke the token" },
    }),
    "end-session": intent({
      access: "signed-in",
      target: "id",
      run: ({ actor, target }) => endOwnSession(actor, target),
      done: "Session ended",
      failed: { toast: "Couldn't end the session" },
    }),
    leave: intent({
      access: "signed-in",
      input: OffboardingInput,
      run: ({ actor, input }) => leaveOrganisation(actor, input),
      done: (_, { context }) => ({
        to: "/",
        toast: "You left the organization",
        headers: signedOutHeaders(context),
      }),
      failed: { dialog: "Couldn't leave the organization" },
    }),
    "connect-account": intent({
      access: "signed-in",
      target: "id",
      run: async ({ actor, target, context }) => ({
        id: target,
        ...(await startConnect(actor, target, context.origin)),
      }),
      done: (signIn) => ({ show: { signIn } }),
      failed: { toast: "Couldn't connect the account" },
    }),
    "disconnect-account": intent({
      access: "signed-in",
      target: "id",
      run: ({ actor, target }) => disconnectAccount(actor, target),
      done: ({ title }) => `${title} disconnected`,
      failed: { toast: "Couldn't disconnect the account" },
    }),
    "sign-out-everywhere": intent({
      access: "signed-in",
      run: ({ actor }) => endAllSessions(actor),
      done: (_, { context }) => ({
        to: "/",
        toast: "You are signed out everywhere",
        headers: signedOutHeaders(context),
      }),
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Profile() {
  const { user, sessions, tokens, roles, scopes, origin, stays, owned, pausing, ...loaded } =
    useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const { search, isLoading } = useOpenDialog(user, { loads: ["leave"] });
  const dialog = search.get("dialog");
  const { result, shown } = actionData ?? {};
  const selectedPasskey = loaded.factor.passkeys.find(({ id }) => id === search.get("id"));
  const selectedToken = tokens.find(({ id }) => id === search.get("id"));
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <SectionHeader title="Profile" subtitle="You, how you sign in, and what you like" />
      <ProfileForm user={user} result={dialog === null ? result : null} />
      <StartPageCard startPage={loaded.startPage} mayChat={loaded.mayChat} />
      <ChatPreferences enterSends={loaded.enterSends} />
      <PreferencesCard preferences={loaded.preferences} />
      {loaded.preferences.on.includes("push") && (
        <PushCard
          publicKey={loaded.push.publicKey}
          browsers={loaded.push.browsers.map(({ userAgent, ...browser }) => ({
            ...browser,
            name: browserName(userAgent),
          }))}
        />
      )}
      <PasswordCard hasPassword={loaded.hasPassword} />
      {(loaded.hasPassword || loaded.factor.authenticator) && <AuthenticatorCard factor={loaded.factor} />}
      {(loaded.hasPassword || loaded.factor.passkeys.length > 0) && (
        <PasskeysCard
          passkeys={loaded.factor.passkeys}
          isAvailable={loaded.offersPasskeys}
          isOptional={loaded.hasPassword && !loaded.factor.authenticator && !loaded.requiresFactor}
        />
      )}
      <SessionsCard sessions={sessions} />
      <TokensCard
        tokens={tokens}
        budgetWarnings={loaded.budgetWarnings}
        gateway={scopes.some(({ name }) => name === "gateway.use") ? origin : undefined}
      />
      <OwnAccountsCard
        accounts={loaded.accounts}
        signIn={shown && "signIn" in shown ? shown.signIn : undefined}
      />
      <LeaveCard refusal={stays} />
      {dialog === "password" && loaded.hasPassword && (
        <PasswordDialog closeTo={HERE} email={user.email} result={result} />
      )}
      {dialog !== null && Object.hasOwn(FACTOR_TITLES, dialog) && (
        <FactorDialog
          dialog={dialog}
          closeTo={HERE}
          email={user.email}
          result={result}
          setup={loaded.setup}
          passkey={selectedPasskey}
          shown={shown && "kind" in shown ? shown : undefined}
        />
      )}
      {dialog === "new-token" && (
        <TokenDialog
          closeTo={HERE}
          roles={roles}
          scopes={scopes}
          origin={origin}
          result={result}
          created={shown && "created" in shown ? shown.created : undefined}
        />
      )}
      {dialog === "leave" && isLoading && !stays && (
        <LoadingDialog title="Leave the organization?" closeTo={HERE} />
      )}
      {dialog === "leave" && stays && <MissingDialog message={stays} closeTo={HERE} />}
      {dialog === "leave" && !isLoading && !stays && (
        <ConfirmDialog
          title="Leave the organization?"
          description="You are signed out everywhere and your API tokens stop working. Only an admin can invite you again."
          closeTo={HERE}
          intent="leave"
          values={{}}
          confirmLabel="Leave"
          fields={owned.length > 0 ? <OffboardingFields owned={owned} /> : undefined}
        >
          {pausing.length > 0 ? <PausedWorkflows workflows={pausing} rights="your" /> : undefined}
        </ConfirmDialog>
      )}
      {dialog === "revoke-token" && (
        <RecordDialog
          record={selectedToken}
          missing="API token not found. It may have been revoked."
          closeTo={HERE}
        >
          {({ id, name }) => (
            <ConfirmDialog
              title={`Revoke ${name}?`}
              description="Programs that use it lose access now. This can't be undone."
              closeTo={HERE}
              intent="revoke-token"
              values={{ id }}
              confirmLabel="Revoke"
            />
          )}
        </RecordDialog>
      )}
    </div>
  );
}
