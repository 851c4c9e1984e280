import { useActionData, useLoaderData } from "@remix-run/react";
import { OffboardingFields } from "~/console/offboarding/components/offboarding-fields";
import { OffboardingInput } from "~/console/offboarding/offboarding.schema";
import { listOwnedData, removeMember } from "~/console/offboarding/offboarding.service.server";
import { intent, screen } from "~/http/screen.server";
import { may, refusal } from "~/platform/rights/authorization.server";
import { GroupDialog, GroupsCard } from "~/team/members/components/groups-card";
import { MembersList } from "~/team/members/components/members-panel";
import { RequestsCard } from "~/team/members/components/requests-card";
import { createGroup, deleteGroup, listGroups, updateGroup } from "~/team/members/groups.service.server";
import { inviteMember, renewInvitation, toInvitation } from "~/team/members/invitation.service.server";
import {
  admitMember,
  changeRole,
  declineMember,
  pageMembers,
  resumeMember,
  suspendMember,
} from "~/team/members/member.service.server";
import { listColleagues } from "~/team/members/member-names.service.server";
import { GroupInput, type Member, MemberInput, MembersQuery, RoleInput } from "~/team/members/members.schema";
import { linkTitle, memberName } from "~/team/members/members.shared";
import { removeSecondFactor } from "~/team/members/second-factor.service.server";
import { grantableRoles } from "~/team/members/token.service.server";
import { OrganisationCard } from "~/team/organization/components/organization-card";
import { OrganisationForm } from "~/team/organization/organization.schema";
import {
  listTimeZones,
  readOrganisation,
  updateOrganisation,
} from "~/team/organization/organization.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { usePageAddress } from "~/ui/page-address";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { LoadingDialog, lazyDialog, useOpenDialog } from "~/ui/use-open-dialog";
import { OrganizationLinks } from "~/work/chat/components/organization-links";
import { pageOrganizationLinks, revokeOrganizationLink } from "~/work/chat/shares/shares.service.server";
import { PausedWorkflows } from "~/work/workflows/components/paused-workflows";
import { listWorkflowsOf } from "~/work/workflows/workflows.service.server";

export const meta = pageTitle("Members", "Settings");

const inviteDialogs = () => import("~/team/members/components/invite-dialog");
const InviteDialog = lazyDialog(
  () => inviteDialogs().then((module) => module.InviteDialog),
  ({ closeTo }) => ({ title: "Add Member", closeTo }),
);
const LinkDialog = lazyDialog(
  () => inviteDialogs().then((module) => module.LinkDialog),
  ({ closeTo, member }) => ({ title: linkTitle(member), closeTo, size: "sm" }),
);
const InvitationDialog = lazyDialog(
  () => inviteDialogs().then((module) => module.InvitationDialog),
  ({ closeTo, invitation }) => ({ title: `Link for ${memberName(invitation.member)}`, closeTo }),
);

const CHANGE_FAILED = { toast: "Couldn't change the member" };

const { loader, action } = screen({
  access: "members.manage",
  query: MembersQuery,
  load: ({ actor, query, url: { searchParams } }) => {
    const [dialog, id] = [searchParams.get("dialog"), searchParams.get("id")];
    return {
      ...pageMembers(actor, query, id),
      query,
      groups: listGroups(actor),
      people: dialog === "group" ? listColleagues(actor) : [],
      roles: grantableRoles(actor.role),
      ownId: actor.userId,
      owned: dialog === "remove" && id !== null ? listOwnedData(actor, id) : [],
      pausing: (dialog === "remove" || dialog === "suspend") && id !== null ? listWorkflowsOf(actor, id) : [],
      links: pageOrganizationLinks(actor, query.links),
      organisation: readOrganisation(actor),
      timeZones: listTimeZones(),
      refusal: may(actor, "settings.manage") ? null : refusal("settings.manage"),
    };
  },
  actions: {
    invite: intent({
      access: "members.manage",
      input: MemberInput,
      run: ({ actor, input }) => inviteMember(actor, input),
      // Shown, not redirected: only this response has the link.
      done: (added, { context }) => ({ show: toInvitation(added, context.origin) }),
    }),
    "new-link": intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => renewInvitation(actor, target),
      done: (renewed, { context }) => ({ show: toInvitation(renewed, context.origin) }),
      failed: CHANGE_FAILED,
    }),
    "change-role": intent({
      access: "members.manage",
      target: "id",
      input: RoleInput,
      run: ({ actor, target, input }) => changeRole(actor, target, input.role),
      done: ({ mappedRole }) =>
        mappedRole === null
          ? "Role changed"
          : "Role changed. The groups at the sign-in provider decide it again at the next sign-in.",
      failed: CHANGE_FAILED,
    }),
    admit: intent({
      access: "members.manage",
      target: "id",
      input: RoleInput,
      run: ({ actor, target, input }) => admitMember(actor, target, input.role),
      done: "Member admitted",
      failed: CHANGE_FAILED,
    }),
    decline: intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => declineMember(actor, target),
      done: "Request declined",
      failed: CHANGE_FAILED,
    }),
    suspend: intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => suspendMember(actor, target),
      done: "Member suspended",
      failed: CHANGE_FAILED,
    }),
    resume: intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => resumeMember(actor, target),
      done: "Member resumed",
      failed: CHANGE_FAILED,
    }),
    "remove-factor": intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => removeSecondFactor(actor, target),
      done: "Second factor removed",
      failed: CHANGE_FAILED,
    }),
    remove: intent({
      access: "members.manage",
      target: "id",
      input: OffboardingInput,
      run: ({ actor, target, input }) => removeMember(actor, target, input),
      done: "Member removed",
      failed: { dialog: "Couldn't remove the member" },
    }),
    organisation: intent({
      access: "settings.manage",
      input: OrganisationForm,
      run: ({ actor, input }) => updateOrganisation(actor, input),
      done: "Organization saved",
    }),
    "add-group": intent({
      access: "members.manage",
      input: GroupInput,
      run: ({ actor, input }) => createGroup(actor, input),
      done: "Group added",
    }),
    "edit-group": intent({
      access: "members.manage",
      target: "id",
      input: GroupInput,
      run: ({ actor, target, input }) => updateGroup(actor, target, input),
      done: "Group saved",
    }),
    "revoke-link": intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => revokeOrganizationLink(actor, target),
      done: "Link revoked",
      failed: { toast: "Couldn't revoke the link" },
    }),
    "delete-group": intent({
      access: "members.manage",
      target: "id",
      run: ({ actor, target }) => deleteGroup(actor, target),
      done: "Group deleted",
      failed: { dialog: "Couldn't delete the group" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

/** Dialogs about one member. */
const OF_MEMBERS = ["link", "remove", "remove-factor", "suspend"];

/** The texts of the dialogs that end a member's sessions. */
function leavingDialog(dialog: string | null, member: Member) {
  const values = { id: member.id };
  if (dialog === "remove")
    return {
      title: `Remove ${memberName(member)}?`,
      description: "Ends their sessions, API tokens and running answers now.",
      intent: "remove",
      values,
      confirmLabel: "Remove",
    };
  if (dialog === "remove-factor" && member.hasSecondFactor)
    return {
      title: `Remove the second factor of ${memberName(member)}?`,
      description:
        "Removes their authenticator app, recovery codes and passkeys, and signs them out. Their password alone signs them in then.",
      intent: "remove-factor",
      values,
      confirmLabel: "Remove",
    };
  if (dialog !== "suspend") return undefined;
  return {
    title: `Suspend ${memberName(member)}?`,
    description:
      "Signs them out and stops their API tokens now. Nothing is deleted, and you can resume them.",
    intent: "suspend",
    values,
    confirmLabel: "Suspend",
  };
}

export default function Members() {
  const { members, query, groups, people, roles, ownId, owned, pausing, ...loaded } =
    useLoaderData<typeof loader>();
  const closeTo = usePageAddress()();
  const actionData = useActionData<typeof action>();
  const { search, isLoading } = useOpenDialog(members, { loads: ["group", "remove", "suspend"] });
  const dialog = search.get("dialog");
  const member = [...members.items, loaded.selected].find((one) => one?.id === search.get("id"));
  const leaving = member && leavingDialog(dialog, member);
  const group = groups.find(({ id }) => id === search.get("id"));
  const isGroupMissing = search.has("id") && !group && !isLoading;
  const isRefused = actionData?.result !== undefined;
  const invitation = actionData?.shown;
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader title="Members" subtitle="Your team, what it may do, and its groups" />
      <OrganisationCard
        organisation={loaded.organisation}
        timeZones={loaded.timeZones}
        refusal={loaded.refusal}
        result={dialog ? undefined : actionData?.result}
      />
      <RequestsCard requests={loaded.requests.items} pageInfo={loaded.requests.pageInfo} roles={roles} />
      <MembersList
        members={members.items}
        pageInfo={members.pageInfo}
        total={loaded.total}
        query={query}
        roles={roles}
        ownId={ownId}
      />
      <GroupsCard groups={groups} />
      <Card
        title="Tool Policies"
        description="Choose which tools the team's chats, personas and workflows can run without asking"
        actions={
          <LinkButton to="/settings/advanced#tools" size="sm">
            Open Tools
          </LinkButton>
        }
      />
      <OrganizationLinks links={loaded.links.items} pageInfo={loaded.links.pageInfo} />
      {invitation ? (
        <InvitationDialog closeTo={closeTo} invitation={invitation} />
      ) : (
        <>
          {dialog === "invite" && (
            <InviteDialog closeTo={closeTo} roles={roles} result={actionData?.result} />
          )}
          {dialog === "link" && member && <LinkDialog closeTo={closeTo} member={member} />}
        </>
      )}
      {dialog !== null && OF_MEMBERS.includes(dialog) && !member && !isLoading && (
        <MissingDialog message="Member not found. They may have been removed." closeTo={closeTo} />
      )}
      {leaving && isLoading && <LoadingDialog title={leaving.title} closeTo={closeTo} />}
      {leaving && !isLoading && (
        <ConfirmDialog
          {...leaving}
          closeTo={closeTo}
          fields={owned.length > 0 ? <OffboardingFields owned={owned} /> : undefined}
        >
          {pausing.length > 0 ? <PausedWorkflows workflows={pausing} rights="this member's" /> : undefined}
        </ConfirmDialog>
      )}
      {dialog === "group" && isLoading && (
        <LoadingDialog title={group ? `Edit ${group.name}` : "Add Group"} closeTo={closeTo} />
      )}
      {dialog === "group" && !isLoading && (!isGroupMissing || isRefused) && (
        <GroupDialog
          group={group}
          isMissing={isGroupMissing}
          people={people}
          closeTo={closeTo}
          result={actionData?.result}
        />
      )}
      {((dialog === "group" && !isRefused) || dialog === "delete-group") && isGroupMissing && (
        <MissingDialog message="Group not found. It may have been deleted." closeTo={closeTo} />
      )}
      {dialog === "delete-group" && group && (
        <ConfirmDialog
          title={`Delete ${group.name}?`}
          description="Its members stay. They lose access to documents that were shared with this group only, and to models limited to it."
          closeTo={closeTo}
          intent="delete-group"
          values={{ id: group.id }}
          confirmLabel="Delete"
        />
      )}
    </div>
  );
}
