import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "profile.write": { least: "viewer", scope: "Change my profile and sessions" },
    "tokens.manage": { least: "viewer", scope: "List and revoke my API tokens" },
    "members.manage": { least: "admin", scope: "Manage members" },
    "owners.manage": {
      least: "owner",
      scope: "Make and remove owners",
      refusal: "Only an owner may make or remove owners.",
    },
  },
  audit: {
    "user.created": "Set up the console as its owner",
    "user.login": "Signed in",
    "user.login_failed": "Failed to sign in",
    "user.logout": "Signed out",
    "user.updated": "Changed their profile",
    "user.password_changed": "Changed their password",
    "user.sign_in_replaced": "Replaced their way to sign in",
    "member.invited": "Invited {email} as {role}",
    "member.link_created": "Created a sign-in link for {email}",
    "member.joined": "Joined the organisation",
    "member.requested": "Asked to join the organisation",
    "member.admitted": "Admitted a person as {role}",
    "member.declined": "Declined the request of {email}",
    "member.role_changed": "Changed a member's role from {from} to {to}",
    "member.removed": "Removed the member {email}",
    "member.documents_deleted": "Deleted {documents} documents of a removed member",
    "member.documents_handed_over": "Handed over {documents} documents of a removed member",
    "api_token.created": "Created the API token {name}",
    "api_token.revoked": "Revoked the API token {name}",
  },
} as const satisfies FeatureFacts;
