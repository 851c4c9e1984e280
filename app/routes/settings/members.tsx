import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import {
  FormerMembersCard,
  LeftDocumentsChoice,
  leftDocumentsWords,
} from "~/features/knowledge/components/left-documents";
import { RemovalInput } from "~/features/knowledge/former-members.schema";
import {
  countNamedOf,
  listFormerMembers,
  listHeirs,
  removeMemberDeciding,
  settleLeftDocuments,
} from "~/features/knowledge/former-members.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { InvitationDialog, InviteDialog, LinkDialog } from "~/features/members/components/invite-dialog";
import { MembersList, memberName, RequestsCard } from "~/features/members/components/members-panel";
import { addMember, renewInvitation, toInvitation } from "~/features/members/invitation.service.server";
import {
  admitMember,
  changeRole,
  declineMember,
  listMembers,
} from "~/features/members/member.service.server";
import { MemberInput, RoleInput } from "~/features/members/members.schema";
import { grantableRoles } from "~/features/members/token.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";

const HERE = "/settings/members";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    const { searchParams } = new URL(request.url);
    const [dialog, id] = [searchParams.get("dialog"), searchParams.get("id")];
    const decides = (dialog === "remove" || dialog === "documents") && id !== null;
    return {
      members: listMembers(actor),
      former: await listFormerMembers(actor),
      roles: grantableRoles(actor.role),
      ownId: actor.userId,
      left: decides ? { documents: await countNamedOf(actor, id), heirs: listHeirs(actor, id) } : undefined,
    };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "members.manage");
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const doing = (title: string, work: () => unknown) => async () => {
      await work();
      return redirectWithToast(HERE, { kind: "success", title }, context);
    };
    const act = (title: string, work: () => unknown) =>
      orToast(HERE, "That was not possible", context, doing(title, work));
    const confirm = (failed: string, title: string, work: () => unknown) =>
      orDialog(HERE, failed, context, doing(title, work));
    const choice = () => parseWith(RemovalInput, Object.fromEntries(form), "form");
    const role = () => parseWith(RoleInput, Object.fromEntries(form), "form").role;
    switch (intent) {
      case "invite": {
        const sent = await submitForm(form, MemberInput, context, (input) => addMember(actor, input));
        if (!sent.done) return sent.answer;
        // Answered, not redirected: the link stands in this page alone.
        return data({ result: null, invitation: toInvitation(sent.value, context.origin) });
      }
      case "new-link":
        return data({
          result: null,
          invitation: toInvitation(renewInvitation(actor, id), context.origin),
        });
      case "change-role":
        return act("Role changed", () => changeRole(actor, id, role()));
      case "admit":
        return act("Member admitted", () => admitMember(actor, id, role()));
      case "decline":
        return act("Request declined", () => declineMember(actor, id));
      case "remove":
        return confirm("The member was not removed", "Member removed", () =>
          removeMemberDeciding(actor, id, choice()),
        );
      case "documents":
        return confirm("The documents were not changed", "Done", async () => {
          const chosen = choice();
          if (chosen) await settleLeftDocuments(actor, id, chosen);
        });
      default:
        return refuseIntent();
    }
  });
}

export default function Members() {
  const { members, former, roles, ownId, left } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const named = members.find(({ id }) => id === search.get("id"));
  const leaver = former.find(({ id }) => id === search.get("id"));
  const invitation = answer && "invitation" in answer ? answer.invitation : undefined;
  return (
    <div className="flex flex-col gap-4">
      <RequestsCard requests={members.filter(({ status }) => status === "waiting")} roles={roles} />
      <MembersList
        members={members.filter(({ status }) => status !== "waiting")}
        roles={roles}
        ownId={ownId}
      />
      <FormerMembersCard people={former} />
      {invitation ? (
        <InvitationDialog closeTo={HERE} invitation={invitation} />
      ) : (
        <>
          {dialog === "invite" && <InviteDialog closeTo={HERE} roles={roles} result={answer?.result} />}
          {dialog === "link" && named && <LinkDialog closeTo={HERE} member={named} />}
        </>
      )}
      {dialog === "remove" && named && (
        <ConfirmDialog
          title={`Remove ${memberName(named)}?`}
          description="Their sessions, API tokens and open answers end at once. What they made stays."
          closeTo={HERE}
          intent="remove"
          values={{ id: named.id }}
          confirmLabel="Remove"
          {...(left && left.documents > 0
            ? {
                children: <p className="mb-3">They added {leftDocumentsWords(left.documents)}.</p>,
                fields: <LeftDocumentsChoice heirs={left.heirs} keep />,
              }
            : {})}
        />
      )}
      {dialog === "documents" && leaver && left && (
        <ConfirmDialog
          title={`Documents of ${leaver.name}`}
          description={`They left ${leftDocumentsWords(leaver.documents)}.`}
          closeTo={HERE}
          intent="documents"
          values={{ id: leaver.id }}
          confirmLabel="Do it"
          fields={<LeftDocumentsChoice heirs={left.heirs} keep={false} />}
        />
      )}
    </div>
  );
}
