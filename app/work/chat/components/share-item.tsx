import { useLocation } from "@remix-run/react";
import { Share2 } from "lucide-react";
import { MenuLink } from "~/ui/menu";

/** In a conversation's menu: opens its sharing over its page, which keeps what it shows where it is open already. */
export function ShareItem({ id }: { id: string }) {
  const { pathname, search } = useLocation();
  const page = `/chat/${id}`;
  const query = new URLSearchParams(pathname === page ? search : "");
  query.set("dialog", "share");
  return (
    <MenuLink to={`${page}/share?${query}`} icon={<Share2 />}>
      Share
    </MenuLink>
  );
}
