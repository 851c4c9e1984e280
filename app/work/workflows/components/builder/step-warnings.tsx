import { Link } from "@remix-run/react";
import { Notice } from "~/ui/notice";
import { useBuilder } from "./builder-context";

/** What a step needs and isn't there, such as a mail server. */
export function StepWarnings({ id }: { id: string }) {
  const { facts } = useBuilder();
  return facts.warnings[id]?.map(({ message, link }) => (
    <Notice key={message} kind="warning">
      {message}
      {link && (
        <>
          {" "}
          <Link to={link.to} className="whitespace-nowrap underline">
            {link.label}
          </Link>
        </>
      )}
    </Notice>
  ));
}
