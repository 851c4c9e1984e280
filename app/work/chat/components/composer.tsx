import { Mic, Paperclip, SendHorizontal, Square } from "lucide-react";
import {
  type FormEvent,
  forwardRef,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { withBase } from "~/core/base-path";
import { Button, IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { useHydrated } from "~/ui/hydration";
import { FieldError, Textarea } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { ACCEPTED_ATTACHMENTS, isImage } from "../attachments/limits.shared";
import type { ChatChoices } from "../chat-choices.shared";
import type { Attachments, SendQueue } from "./attachments/use-attachments";
import { isEditKey, isSendKey } from "./sends-message";

interface AttachButtonProps {
  onFiles: (files: File[]) => void;
  /** Whether recordings can be transcribed. */
  transcribes: boolean;
}

function AttachButton({ onFiles, transcribes }: AttachButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      {/* Reserves its space until JavaScript runs. */}
      <span className="invisible inline-flex scripted:visible">
        <IconButton
          type="button"
          label="Attach Files"
          icon={<Paperclip />}
          onClick={() => field.current?.click()}
        />
      </span>
      <input
        ref={field}
        type="file"
        multiple
        accept={ACCEPTED_ATTACHMENTS}
        aria-label="Attach Files"
        className="hidden"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      <noscript>
        {/* Browsers with JavaScript need none of it. */}
        {import.meta.env.SSR && (
          <>
            <input
              type="file"
              name="files"
              multiple
              accept={ACCEPTED_ATTACHMENTS}
              aria-label="Attach Files"
              className="min-h-11 min-w-0 max-w-full py-2 text-muted text-sm file:mr-3 file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:py-1 file:text-ink"
            />
            {transcribes && (
              <Button size="sm" name="intent" value="transcribe" formEncType="multipart/form-data">
                Transcribe
              </Button>
            )}
          </>
        )}
      </noscript>
    </>
  );
}

const dictation = lazyPart(
  () => import("./dictation").then((module) => module.Dictation),
  "[data-dictation]",
);
const longPasteOffer = lazyPart(
  () => import("./attachments/long-paste").then((module) => module.LongPaste),
  "[data-long-paste]",
);
const attachedFiles = lazyPart(
  () => import("./attachments/attached-files").then((module) => module.AttachedFiles),
  `[aria-label="Attached files"]`,
);

interface ComposerProps {
  formId: string;
  action: string;
  content: string;
  onContent: (text: string) => void;
  onSend: (event: FormEvent) => void;
  onStop: () => void;
  onEditLast?: (() => void) | undefined;
  attachments?: Attachments;
  queue?: SendQueue;
  /** Disables sending, for example if the model can't take the files. */
  isBlocked?: boolean;
  running: boolean;
  enterSends: boolean;
  error: string | undefined;
  /** Whether a model transcribes what is said; else the browser does, if it can. Undefined where nothing is dictated. */
  dictates?: boolean;
  /** Beside the button for files. */
  links?: ReactNode;
  settings?: ReactNode;
  className?: string;
  children?: ReactNode;
}

function Keys({ enterSends, running }: { enterSends: boolean; running: boolean }) {
  const mac = useHydrated() && /Mac/.test(navigator.userAgent);
  return (
    <span className="hidden shrink-0 text-muted text-xs scripted:sm:inline pointer-coarse:hidden!">
      {running ? (
        <>
          <kbd>Esc</kbd> to stop
        </>
      ) : enterSends ? (
        <>
          <kbd>Enter</kbd> to send, <kbd>Shift</kbd>+<kbd>Enter</kbd> for a new line
        </>
      ) : (
        <>
          <kbd>{mac ? "Cmd" : "Ctrl"}</kbd>+<kbd>Enter</kbd> to send
        </>
      )}
    </span>
  );
}

/** Escape stops an answer, unless it closes a dialog, a menu or a panel. */
function useStopKey(running: boolean, formId: string, onStop: () => void): void {
  const stop = useRef(onStop);
  stop.current = onStop;
  useEffect(() => {
    if (!running) return;
    const controller = new AbortController();
    const { signal } = controller;
    // All beside an open dialog is inert, but not beside the palette.
    const isCovered = () =>
      document.getElementById(formId)?.closest("[inert]") != null ||
      document.querySelector(":popover-open, [role=dialog][aria-modal=true]") !== null;
    // What this Escape closes may be gone before the key has bubbled up to here.
    let wasCovered = false;
    const before = () => {
      wasCovered = isCovered();
    };
    const listener = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || wasCovered) return;
      stop.current();
    };
    window.addEventListener("keydown", before, { signal, capture: true });
    window.addEventListener("keydown", listener, { signal });
    return () => controller.abort();
  }, [running, formId]);
}

export const Composer = forwardRef<HTMLTextAreaElement, ComposerProps>(function Composer(props, ref) {
  const { content, running, enterSends, attachments } = props;
  const { isQueued = false } = props.queue ?? {};
  const isEmpty = content.trim() === "" && !attachments?.ready.length && !attachments?.uploading;
  const hydrated = useHydrated();
  useStopKey(running, props.formId, props.onStop);
  const [pasted, setPasted] = useState<string>();
  const [dictating, setDictating] = useState(false);
  const { dictates } = props;
  // It holds its place until the browser is known.
  const hears = dictates || (dictates === false && (!hydrated || "webkitSpeechRecognition" in window));
  return (
    <form
      id={props.formId}
      method="post"
      action={withBase(props.action)}
      onSubmit={props.onSend}
      data-sends-itself
      className={cx(
        "sticky short:relative bottom-0 z-10 flex flex-col gap-0.5 rounded-lg border border-edge bg-surface p-1.5 shadow-card has-[textarea[name=content]:focus-visible]:outline-2 has-[textarea[name=content]:focus-visible]:outline-focus print:hidden",
        props.className,
      )}
    >
      {props.children}
      {dictating && (
        <dictation.Part
          hasModel={dictates === true}
          content={content}
          onContent={props.onContent}
          onClose={() => setDictating(false)}
        />
      )}
      {attachments && pasted !== undefined && (
        <longPasteOffer.Part
          pasted={pasted}
          content={content}
          onAttach={(file, rest) => {
            props.onContent(rest);
            attachments.add([file]);
            setPasted(undefined);
          }}
          onKeep={() => setPasted(undefined)}
        />
      )}
      <Textarea
        ref={ref}
        name="content"
        aria-label="Message"
        placeholder="Ask AI anything..."
        rows={1}
        className="field-sizing-content max-h-[min(15rem,40dvh)] min-h-9 resize-none border-transparent! bg-transparent! px-2! py-[0.4375rem]! outline-none! pointer-coarse:min-h-11"
        value={content}
        data-given=""
        aria-invalid={props.error !== undefined || undefined}
        onChange={(event) => props.onContent(event.target.value)}
        onKeyDown={(event) => {
          if (isSendKey(event, enterSends)) props.onSend(event);
          else if (props.onEditLast && content === "" && isEditKey(event)) {
            event.preventDefault();
            props.onEditLast();
          }
        }}
        onPaste={(event) => {
          const { files, types } = event.clipboardData;
          if (attachments) setPasted(longPaste(event.clipboardData.getData("text/plain")));
          // Copied table cells include a picture; the text is meant.
          if (files.length === 0 || types.includes("text/plain")) return;
          if (!attachments) return;
          event.preventDefault();
          attachments.add([...files]);
        }}
      />
      {attachments && attachments.items.length > 0 && (
        <attachedFiles.Part items={attachments.items} remove={attachments.remove} queue={props.queue} />
      )}
      {props.error && <FieldError>{props.error}</FieldError>}
      <div className="flex items-center justify-end gap-3">
        <span className="group/tools flex min-w-0 flex-1 items-center has-[noscript_input]:flex-wrap">
          {attachments && <AttachButton onFiles={attachments.add} transcribes={dictates === true} />}
          {hears && (
            <span className="invisible inline-flex scripted:visible group-has-[noscript_input]/tools:hidden">
              {/* It stays in its place: the link beside it would get the second click of a double click. */}
              <IconButton
                type="button"
                label="Dictate"
                icon={<Mic />}
                disabled={dictating}
                onClick={() => setDictating(true)}
              />
            </span>
          )}
          {props.links}
          {props.settings}
        </span>
        <Keys enterSends={enterSends} running={running} />
        {running ? (
          <Button
            size="sm"
            name="intent"
            value="stop"
            icon={<Square />}
            formNoValidate
            onClick={(event) => {
              event.preventDefault();
              // The second click of a double click on Send, whose place this button takes.
              if (event.detail <= 1) props.onStop();
            }}
          >
            Stop
          </Button>
        ) : (
          <Button
            size="sm"
            name="intent"
            value="send"
            variant="primary"
            icon={<SendHorizontal />}
            {...(attachments ? { formEncType: "multipart/form-data" } : {})}
            disabled={hydrated && (isEmpty || isQueued || props.isBlocked === true)}
          >
            Send
          </Button>
        )}
      </div>
    </form>
  );
});

/** Length above which pasted text is offered as a file, in characters. */
const LONG_PASTE = 8000;

/** Long pasted text with the field's line ends; undefined if it is short. */
export function longPaste(text: string): string | undefined {
  return text.length > LONG_PASTE ? text.replaceAll(/\r\n?/g, "\n") : undefined;
}

export interface UnseenImagesProps {
  attachments: Pick<Attachments, "items" | "remove">;
  models: ChatChoices["models"];
  model: string;
  onModel: (model: string) => void;
}

export function unseenImages({ attachments, models, model }: Omit<UnseenImagesProps, "onModel">): string[] {
  if (models.find(({ id }) => id === model)?.sees !== false) return [];
  return attachments.items.flatMap((item) =>
    item.state === "ready" && isImage(item.attachment) ? [item.key] : [],
  );
}

export interface ToolsLeftOutProps {
  models: ChatChoices["models"];
  model: string;
  tools: readonly string[];
}

/** Selected tools that the model's provider refused. */
export const selectedToolsOff = ({ models, model, tools }: ToolsLeftOutProps) =>
  (models.find(({ id }) => id === model)?.toolsOff ?? []).filter(({ name }) => tools.includes(name));

export const toolsLeftOut = ({ models, model, tools }: ToolsLeftOutProps) =>
  tools.length > 0 && models.find(({ id }) => id === model)?.takesTools === false;

/** Focuses the composer of a new conversation, except on touch screens, whose keyboard would open. */
export function useFocusWhenNew(input: RefObject<HTMLTextAreaElement>, isNew: boolean): void {
  useEffect(() => {
    if (!isNew || !window.matchMedia("(pointer: fine)").matches) return;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.closest("nav") != null)
      input.current?.focus({ preventScroll: true });
  }, [input, isNew]);
}
