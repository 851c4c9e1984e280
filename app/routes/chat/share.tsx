import { useActionData, useLoaderData, useLocation } from "@remix-run/react";
import { useState } from "react";
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
  back: ({ url }) => `${url.pathname}${url.search}`,
});

export { action, loader };

/** What a form answered, until the next one is sent: the router drops it when the page behind loads again. */
function useKept<T>(answer: T | undefined) {
  const [{ kept, seen }, setKept] = useState({ kept: answer, seen: answer });
  if (answer !== undefined && answer !== seen) setKept({ kept: answer, seen: answer });
  return { kept, drop: () => setKept({ kept: undefined, seen }) };
}

/** Over its conversation, which goes on. */
export default function ShareConversation() {
  const { id, address, title, sharing, readers, mayAllowLinks } = useLoaderData<typeof loader>();
  const { kept, drop } = useKept(useActionData<typeof action>());
  const behind = new URLSearchParams(useLocation().search);
  behind.delete("dialog");
  return (
    <DialogBox
      title="Share Conversation"
      description={<bdi className="wrap-anywhere">{toDisplayText(title)}</bdi>}
      closeTo={`/chat/${id}${behind.size > 0 ? `?${behind}` : ""}`}
      size="lg"
    >
      <div className="flex flex-col gap-6" onSubmit={drop}>
        <ShareForm sharing={sharing} address={address} readers={readers} result={kept?.result} />
        <ShareLinks sharing={sharing} mayAllow={mayAllowLinks} made={kept?.shown} result={kept?.result} />
      </div>
    </DialogBox>
  );
}
