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
import { intent, screen } from "~/http/screen.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";

const HERE = "/settings/members";
const NOT_POSSIBLE = { toast: "That was not possible" };

const { loader, action } = screen({
  access: "members.manage",
  load: async ({ actor, url: { searchParams } }) => {
    const [dialog, id] = [searchParams.get("dialog"), searchParams.get("id")];
    const decides = (dialog === "remove" || dialog === "documents") && id !== null;
    return {
      members: listMembers(actor),
      former: await listFormerMembers(actor),
      roles: grantableRoles(actor.role),
      ownId: actor.userId,
      left: decides ? { documents: await countNamedOf(actor, id), heirs: listHeirs(actor, id) } : undefined,
    };
  },
  actions: {
    invite: intent({
      access: "members.manage",
      input: MemberInput,
      run: ({ actor, input }) => addMember(actor, input),
      // Shown, not redirected: the link stands in this page alone.
      done: (added, { context }) => ({ show: toInvitation(added, context.origin) }),
    }),
    "new-link": intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => renewInvitation(actor, target),
      done: (renewed, { context }) => ({ show: toInvitation(renewed, context.origin) }),
    }),
    "change-role": intent({
      access: "members.manage",
      target: "id",
      input: RoleInput,
      run: ({ actor, target, input }) => changeRole(actor, target, input.role),
      done: "Role changed",
      failed: NOT_POSSIBLE,
    }),
    admit: intent({
      access: "members.manage",
      target: "id",
      input: RoleInput,
      run: ({ actor, target, input }) => admitMember(actor, target, input.role),
      done: "Member admitted",
      failed: NOT_POSSIBLE,
    }),
    decline: intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => declineMember(actor, target),
      done: "Request declined",
      failed: NOT_POSSIBLE,
    }),
    remove: intent({
      access: "members.manage",
      target: "id",
      input: RemovalInput,
      run: ({ actor, target, input }) => removeMemberDeciding(actor, target, input),
      done: "Member removed",
      failed: { dialog: "The member was not removed" },
    }),
    documents: intent({
      access: "members.manage",
      target: "id",
      input: RemovalInput,
      run: async ({ actor, target, input }) => {
        if (input) await settleLeftDocuments(actor, target, input);
      },
      done: "Done",
      failed: { dialog: "The documents were not changed" },
    }),
  },
});

export { action, loader };

export default function Members() {
  const { members, former, roles, ownId, left } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const named = members.find(({ id }) => id === search.get("id"));
  const leaver = former.find(({ id }) => id === search.get("id"));
  const invitation = answer?.shown;
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
