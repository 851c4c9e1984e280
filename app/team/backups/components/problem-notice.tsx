import { LinkButton } from "~/ui/button";
import { Notice } from "~/ui/notice";

interface ProblemNoticeProps {
  title: string;
  message: string;
  mayRestore: boolean;
}

/** On every screen of admins and owners, while the disk is full or a database is damaged. */
export function ProblemNotice({ title, message, mayRestore }: ProblemNoticeProps) {
  return (
    <Notice kind="danger" title={title} className="mb-4">
      <p>{message}</p>
      <LinkButton to="/settings/system#backups" size="sm" className="mt-2">
        {mayRestore ? "Open Backups" : "Open System"}
      </LinkButton>
    </Notice>
  );
}
