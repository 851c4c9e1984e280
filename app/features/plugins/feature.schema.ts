import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "plugins.manage": { minRole: "admin", scope: "Install and configure plugins" },
    "plugins.rate": { minRole: "member", scope: "Rate plugins" },
  },
  audit: {
    "extension.installed": "Installed the extension {title}",
    "extension.uninstalled": "Uninstalled the extension {title}",
    "extension.agreed": "Accepted the permissions of the extension {title}",
    "extension.enabled": "Enabled {title?an extension}",
    "extension.disabled": "Disabled {title?an extension}",
    "extension.updated": "Changed the settings of the extension {title}",
    "extension.rated": "Rated the extension {title}",
    "extension.server_added": "Added the MCP server {title}",
    "extension.server_connected": "Connected the MCP server {title} to an account",
    "extension.server_disconnected": "Disconnected the MCP server {title} from its account",
    "extension.prompt_used": "Used the prompt {prompt} of the extension {title}",
    "extension.tools_updated": "Changed the allowed tools of the extension {title}",
  },
  topics: {
    plugins: "screens.read",
  },
} as const satisfies FeatureFacts;
