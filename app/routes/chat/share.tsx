import { useActionData, useLoaderData } from "@remix-run/react";
import { toDisplayText } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { DialogBox } from "~/ui/dialog-box";
import { pageTitle } from "~/ui/page-header";
import { ShareForm, ShareLinks } from "~/work/chat/components/share-form";
import { LinkInput, ShareInput } from "~/work/chat/shares/shares.schema";
import {
  createShareLink,
  listPossibleReaders,
  readConversationTitle,
  readSharing,
  revokeShareLink,
  shareConversation,
} from "~/work/chat/shares/shares.service.server";

export const meta = pageTitle("Share Conversation");

const { loader, action } = screen({
  access: "chat.use",
  load: ({ actor, params: { conversationId = "" }, context }) => ({
    id: conversationId,
    address: `${context.origin}/chat/shared/${conversationId}`,
    title: readConversationTitle(actor, conversationId),
    sharing: readSharing(actor, conversationId),
    readers: listPossibleReaders(actor),
    mayAllowLinks: may(actor, "settings.manage"),
  }),
  actions: {
    share: intent({
      access: "chat.use",
      input: ShareInput,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        shareConversation(actor, conversationId, input),
      done: ({ audience }) =>
        audience === "nobody" ? "Conversation is no longer shared" : "Conversation shared",
    }),
    "create-link": intent({
      access: "chat.use",
      input: LinkInput,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        createShareLink(actor, conversationId, input),
      done: ({ secret }, { context }) => ({ show: `${context.origin}/shared/${secret}` }),
    }),
    "revoke-link": intent({
      access: "chat.use",
      target: "id",
      run: ({ actor, params: { conversationId = "" }, target }) =>
        revokeShareLink(actor, conversationId, target),
      done: "Link revoked",
      failed: { toast: "Couldn't revoke the link" },
    }),
  },
});

export { action, loader };

/** Over its conversation, which goes on. */
export default function ShareConversation() {
  const { id, address, title, sharing, readers, mayAllowLinks } = useLoaderData<typeof loader>();
  const { result, shown } = useActionData<typeof action>() ?? {};
  return (
    <DialogBox
      title="Share Conversation"
      description={<bdi className="wrap-anywhere">{toDisplayText(title)}</bdi>}
      closeTo={`/chat/${id}`}
      size="lg"
    >
      <div className="flex flex-col gap-6">
        <ShareForm
          key={sharing.sharedAt}
          sharing={sharing}
          address={address}
          readers={readers}
          result={result}
        />
        <ShareLinks sharing={sharing} mayAllow={mayAllowLinks} made={shown} result={result} />
      </div>
    </DialogBox>
  );
}
