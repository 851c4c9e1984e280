import { Form, useNavigate, useNavigation } from "@remix-run/react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import { withBase } from "~/core/base-path";
import { Button, LinkButton } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { useHydrated } from "~/ui/hydration";
import { FieldError, HiddenFields, Textarea } from "~/ui/input";
import { showToast } from "~/ui/toast-store";
import type { ChatMessage } from "../chat.schema";
import { type Branching, type Panel, useBranching } from "./branching";
import { preloadMarkdown } from "./markdown-reader";
import { isSendKey } from "./sends-message";

const COMPOSER_GAP = 32;

const BOX = "rounded-lg border border-line bg-surface p-3";

function useClose(branching: Branching | undefined): () => void {
  const navigate = useNavigate();
  return () => branching && navigate(branching.addressOf(), { replace: true, preventScrollReset: true });
}

/** Ctrl+Enter sends, Enter by preference; Escape closes an unchanged panel and returns to the composer. */
function panelKeys(close: () => void, enterSends = false) {
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { form, value, defaultValue } = event.currentTarget;
    if (isSendKey(event, enterSends)) {
      event.preventDefault();
      form?.requestSubmit(form.querySelector<HTMLButtonElement>("button[name=intent]:last-of-type"));
    } else if (event.key === "Escape" && value === defaultValue && !event.nativeEvent.isComposing) {
      close();
      document.forms.namedItem("chat-form")?.querySelector("textarea")?.focus({ preventScroll: true });
    }
  };
}

interface ButtonsProps {
  branching: Branching;
  onCancel?: () => void;
  children: ReactNode;
}

function Buttons({ branching, onCancel, children }: ButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <LinkButton
        to={branching.addressOf()}
        preventScrollReset
        replace
        variant="ghost"
        size="sm"
        onClick={onCancel}
      >
        Cancel
      </LinkButton>
      {children}
    </div>
  );
}

interface PanelProps {
  message: ChatMessage;
  branching: Branching;
}

interface PanelFormProps extends PanelProps {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  className: string;
  children: ReactNode;
}

/** A form that the page sends by itself once it has JavaScript. */
function PanelForm({ message, branching, onSubmit, className, children }: PanelFormProps) {
  return (
    <form
      method="post"
      action={withBase(branching.action)}
      onSubmit={onSubmit}
      data-sends-itself
      data-message-panel=""
      className={`${className} ${BOX}`}
    >
      <input type="hidden" name="messageId" value={message.id} />
      {children}
    </form>
  );
}

/** Says that an edit is kept if another panel of the conversation takes its place. */
function useKeptEdit({ message: { id, content }, branching }: PanelProps) {
  const { keepEdit, keptEdit, action } = branching;
  // What was sent leaves its panel before the server has accepted it.
  const isSent = useRef(false);
  useEffect(
    () => () => {
      if (isSent.current || keptEdit(id) === undefined || !window.location.pathname.endsWith(action)) return;
      const description = "Edit the message again to go on with it.";
      showToast({ kind: "info", title: "Your edit is kept", description });
    },
    [id, action, keptEdit],
  );
  const keep = (text: string) => keepEdit(id, text === content ? undefined : text);
  return { keep, isSent };
}

function EditPanel({ message, branching }: PanelProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const close = useClose(branching);
  const isLeaving = useRef(false);
  isLeaving.current = useNavigation().state !== "idle";
  const { keep, isSent } = useKeptEdit({ message, branching });
  const refused = branching.refused?.messageId === message.id ? branching.refused : undefined;
  const submit = (event: FormEvent) => {
    const content = input.current?.value.trim() ?? "";
    event.preventDefault();
    if (content === "" || branching.busy) return;
    preloadMarkdown();
    isSent.current = true;
    // Until then the panel stays open, so that it shows a refused text again.
    branching.onEdit(message.id, content, () => {
      if (!isLeaving.current) close();
    });
  };
  return (
    <PanelForm message={message} branching={branching} onSubmit={submit} className="space-y-2">
      <Textarea
        ref={input}
        name="content"
        aria-label="Edit message"
        defaultValue={refused?.content ?? branching.keptEdit(message.id) ?? message.content}
        data-given={message.content}
        required
        rows={4}
        autoFocus
        onChange={(event) => keep(event.target.value)}
        onKeyDown={panelKeys(close, branching.enterSends)}
      />
      {refused && <FieldError>{refused.error}</FieldError>}
      <p className="text-muted text-xs">The message and its answers are kept as another version.</p>
      <Buttons branching={branching} onCancel={() => branching.keepEdit(message.id)}>
        <Button name="intent" value="edit" variant="primary" size="sm" disabled={branching.busy}>
          Send
        </Button>
      </Buttons>
    </PanelForm>
  );
}

function AgainPanel({ message, branching }: PanelProps) {
  const close = useClose(branching);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const model = new FormData(event.currentTarget).get("model");
    preloadMarkdown();
    close();
    branching.onRegenerate(message.id, model?.toString());
  };
  const other = branching.models.find(({ id }) => id !== message.model) ?? branching.models[0];
  return (
    <PanelForm
      message={message}
      branching={branching}
      onSubmit={submit}
      className="flex flex-wrap items-center gap-2"
    >
      <ModelPicker
        models={branching.models}
        name="model"
        aria-label="Regenerate with"
        defaultValue={other?.id}
        className="flex-[1_1_12rem]"
      />
      <Buttons branching={branching}>
        <Button name="intent" value="regenerate" variant="primary" size="sm" disabled={branching.busy}>
          Regenerate
        </Button>
      </Buttons>
    </PanelForm>
  );
}

function CommentPanel({ message, branching }: PanelProps) {
  const close = useClose(branching);
  const scripted = useHydrated();
  return (
    <Form
      method="post"
      action={branching.action}
      preventScrollReset
      data-message-panel=""
      className={`space-y-2 ${BOX}`}
    >
      <HiddenFields
        values={{ messageId: message.id, rating: message.feedback?.rating ?? "", shared: "off" }}
      />
      {/* Keeps the scroll position. */}
      {scripted && <input type="hidden" name="returnTo" value={branching.addressOf()} />}
      <Textarea
        name="comment"
        aria-label="Comment"
        placeholder="What was good or bad about this answer?"
        defaultValue={message.feedback?.comment ?? ""}
        maxLength={2000}
        rows={3}
        autoFocus
        onKeyDown={panelKeys(close)}
      />
      <Checkbox
        name="shared"
        defaultChecked={message.feedback?.shared ?? false}
        label="Let admins read this"
        hint="The question, the answer and your comment. They may keep them for evaluations."
      />
      <Buttons branching={branching}>
        <Button name="intent" value="unrate" variant="ghost" size="sm">
          {message.feedback?.comment ? "Remove Rating and Comment" : "Remove Rating"}
        </Button>
        <Button name="intent" value="feedback" variant="primary" size="sm">
          Save Comment
        </Button>
      </Buttons>
    </Form>
  );
}

function panelOf(message: ChatMessage, panel: Panel, branching: Branching): ReactNode {
  const own = message.role === "user";
  if (panel === "edit" && own) return <EditPanel message={message} branching={branching} />;
  if (panel === "again" && !own) return <AgainPanel message={message} branching={branching} />;
  if (panel === "comment" && message.feedback)
    return <CommentPanel message={message} branching={branching} />;
  return null;
}

export function MessagePanel({ message, panel }: { message: ChatMessage; panel: Panel }) {
  const branching = useBranching(message);
  const content = branching && panelOf(message, panel, branching);
  return content ? <InView>{content}</InView> : null;
}

/** Scrolls an opened panel above the composer, whose notices and files make it higher. */
function InView({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const composer = document.forms.namedItem("chat-form");
    if (composer) box.current.style.scrollMarginBottom = `${composer.offsetHeight + COMPOSER_GAP}px`;
    box.current.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={box} className="scroll-mt-32 scroll-mb-56 [@media(max-height:40rem)]:scroll-mt-18">
      {children}
    </div>
  );
}
