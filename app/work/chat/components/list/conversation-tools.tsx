import { Link, useFetcher } from "@remix-run/react";
import { Check, FolderInput, FolderMinus, Pencil, Pin, PinOff, Share2, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { toDisplayText } from "~/core/well-formed";
import { useBrowserLayout } from "~/ui/hydration";
import { MENU_ROW, MenuLabel, MenuLink, MenuSeparator, stepThrough } from "~/ui/menu";
import type { ConversationNavigation, ListedConversation } from "../../list/list.schema";

export interface OpenMenu {
  conversation: ListedConversation;
  /** Of its corner in the window, in pixels. */
  at: { x: number; y: number };
}

type Change = (values: Record<string, string>) => void;

interface RowProps {
  icon: ReactNode;
  checked?: boolean;
  onPress: () => void;
  children: ReactNode;
}

function Row({ icon, checked, onPress, children }: RowProps) {
  return (
    <button type="button" aria-current={checked || undefined} onClick={onPress} className={MENU_ROW}>
      {icon}
      {children}
    </button>
  );
}

/** Between a menu and the window's edge, in pixels. */
const GAP = 8;

interface MenuProps extends OpenMenu {
  folders: ConversationNavigation["folders"];
  onChange: Change;
  onRename: () => void;
  onClose: () => void;
}

/** A conversation's actions, above all else, so that no list cuts them off. */
export function ConversationMenu({ conversation, at, folders, onChange, onRename, onClose }: MenuProps) {
  const { id, pinned, folderId } = conversation;
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useBrowserLayout(() => {
    const element = box.current;
    if (!element) return;
    opener.current = document.activeElement;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(GAP, Math.min(at.x, window.innerWidth - width - GAP))}px`;
    element.style.top = `${Math.max(GAP, Math.min(at.y, window.innerHeight - height - GAP))}px`;
    element.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
    // Not `popover="auto"`: the release of the right button that opened it would close it.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && element.contains(target))) close.current();
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, [at]);
  const leave = () => {
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
    onClose();
  };
  const choose = (act: () => void) => () => {
    leave();
    act();
  };
  const moveTo = (folder: string) => choose(() => onChange({ intent: "move", ids: id, folderId: folder }));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its rows take the keys.
    <div
      ref={box}
      {...{ popover: "manual" }}
      data-conversation-menu=""
      onClick={({ target }) => {
        if (target instanceof Element && target.closest("a")) onClose();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave();
        else if (event.key === "ArrowDown") stepThrough(event.currentTarget, 1);
        else if (event.key === "ArrowUp") stepThrough(event.currentTarget, -1);
        else return;
        event.preventDefault();
      }}
      className="enter fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] w-56 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border-0 bg-raised p-1 text-ink shadow-float"
    >
      <Row icon={<Pencil />} onPress={choose(onRename)}>
        Rename
      </Row>
      <Row
        icon={pinned ? <PinOff /> : <Pin />}
        onPress={choose(() => onChange({ intent: pinned ? "unpin" : "pin", ids: id }))}
      >
        {pinned ? "Unpin" : "Pin"}
      </Row>
      <MenuLink to={`/chat/${id}/share`} icon={<Share2 />}>
        Share
      </MenuLink>
      <MenuSeparator />
      <MenuLabel>Move to folder</MenuLabel>
      <div className="max-h-44 overflow-y-auto">
        {folders.map((folder) => (
          <Row
            key={folder.id}
            icon={folder.id === folderId ? <Check /> : <FolderInput />}
            checked={folder.id === folderId}
            onPress={moveTo(folder.id)}
          >
            <span dir="auto" className="min-w-0 truncate">
              {toDisplayText(folder.name)}
            </span>
          </Row>
        ))}
        {folderId !== null && (
          <Row icon={<FolderMinus />} onPress={moveTo("")}>
            No Folder
          </Row>
        )}
        <MenuLink to="/chat/all?dialog=new-folder" icon={<FolderInput />}>
          New Folder…
        </MenuLink>
      </div>
      <MenuSeparator />
      <Row icon={<Trash2 />} onPress={choose(() => onChange({ intent: "delete", ids: id }))}>
        Delete
      </Row>
    </div>
  );
}

interface TitleFieldProps extends Pick<ListedConversation, "id" | "title"> {
  onRename: Change;
  /** @param restoresFocus whether the focus was in the field */
  onClose: (restoresFocus: boolean) => void;
}

/** Saves with Enter or when one leaves it; Escape leaves the title as it was. */
export function TitleField({ id, title, onRename, onClose }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (saves: boolean, byKey: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    const typed = field.current?.value.trim() ?? "";
    if (saves && typed !== "" && typed !== title) onRename({ intent: "rename", id, title: typed });
    onClose(byKey);
  };
  return (
    <input
      ref={field}
      data-title-field=""
      aria-label="Title"
      defaultValue={title}
      maxLength={200}
      autoComplete="off"
      dir="auto"
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        end(event.key === "Enter", true);
      }}
      className="min-h-8 w-full rounded-md border border-edge bg-sunken px-2 text-ink text-sm pointer-coarse:min-h-11"
    />
  );
}

/** Pause in typing after which a search is sent, in ms. */
const PAUSE = 200;

interface FoundProps {
  query: string;
  rowClassName: string;
}

/** The newest conversations whose title or messages have all words. */
export function FoundConversations({ query, rowClassName }: FoundProps) {
  const { load, data, state } = useFetcher<{ found: { id: string; title: string }[] }>();
  const [asked, setAsked] = useState("");
  const q = query.trim();
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(q);
      load(`/chat/navigation?q=${encodeURIComponent(q)}`);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [q, load]);
  const rows = asked === "" ? undefined : data?.found;
  return (
    <div data-found="" aria-busy={state !== "idle"}>
      <p role="status" className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
        {rows === undefined ? "Searching…" : rows.length === 0 ? "Nothing found" : "Found"}
      </p>
      <ul aria-label="Conversations found">
        {rows?.map(({ id, title }) => (
          <li key={id}>
            <Link to={`/chat/${id}`} title={toDisplayText(title)} className={rowClassName}>
              <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                {toDisplayText(title)}
              </span>
            </Link>
          </li>
        ))}
        <li>
          <Link to={`/chat/all?q=${encodeURIComponent(q)}`} className={`${rowClassName} text-xs`}>
            Show Messages Found
          </Link>
        </li>
      </ul>
    </div>
  );
}
