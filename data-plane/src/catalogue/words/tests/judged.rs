//! A small judged set: what a person asks in plain words, and the tools that would do it.
//!
//! The tasks were written before the tools were described and before anything was weighed. They
//! are frozen: a task that is not found stays in, and the floor of the test is what may be moved,
//! upwards.

use crate::catalogue::words::{Doc, Words};

/// server, server's title, place, effect, name, about, arguments.
type Tool = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// The task, and the addresses (without place) of which one must be found.
const TASKS: &[(&str, &[&str])] = &[
    (
        "Give the buyer their money back for order 1182",
        &["payments.refund.create"],
    ),
    (
        "How many tickets are still unanswered?",
        &["helpdesk.ticket.count", "helpdesk.ticket.search"],
    ),
    ("Who is on call tonight?", &["pager.oncall.get"]),
    (
        "Let the marketing channel know that the launch moved",
        &["chat.message.post"],
    ),
    (
        "Put a meeting with Dana on Thursday into my calendar",
        &["calendar.event.create"],
    ),
    ("Call off tomorrow's stand-up", &["calendar.event.cancel"]),
    (
        "See which bills have not been paid yet",
        &["billing.invoice.list"],
    ),
    (
        "Stop Maria's monthly plan",
        &["billing.subscription.cancel"],
    ),
    (
        "Change the shipping address of a purchase",
        &["orders.order.update"],
    ),
    (
        "Where is the parcel for order 77?",
        &["shipping.shipment.track"],
    ),
    ("Make a new branch in the repo", &["git.branch.create"]),
    (
        "Open a bug about the broken login page",
        &["tracker.issue.create"],
    ),
    (
        "Read the last error lines of the checkout service",
        &["logs.entries.query"],
    ),
    (
        "Download the signed contract as PDF",
        &["documents.file.download"],
    ),
    (
        "Reset somebody's forgotten password",
        &["directory.user.reset_password"],
    ),
    ("Lock an employee's account", &["directory.user.suspend"]),
    (
        "How much stock is left of the red mug?",
        &["inventory.stock_level.get"],
    ),
    (
        "Look up a client by e-mail address",
        &["crm.contact.find_by_email"],
    ),
    (
        "Move a deal to the won stage",
        &["crm.opportunity.update_stage"],
    ),
    (
        "Turn off the beta feature for everyone",
        &["flags.flag.toggle"],
    ),
    ("Roll the last release back", &["deploy.release.rollback"]),
    (
        "Send the quarterly newsletter to all subscribers",
        &["mailing.campaign.send"],
    ),
    (
        "How many vacation days do I have left",
        &["hr.leave_balance.get"],
    ),
    ("Ask for two days off in June", &["hr.leave_request.create"]),
    (
        "Translate this paragraph to German",
        &["language.text.translate"],
    ),
    (
        "Share a folder with the auditor",
        &["documents.permission.add"],
    ),
    (
        "Which machines are using too much CPU",
        &["metrics.series.query", "metrics.host.list"],
    ),
    (
        "Take the page with the typo off the website",
        &["cms.page.unpublish", "cms.page.delete"],
    ),
    (
        "Print a sticker for sending the package",
        &["shipping.label.create"],
    ),
    (
        "Yesterday's revenue by country",
        &["analytics.sales_report.get"],
    ),
    (
        "Approve the travel expenses of Tom",
        &["expenses.report.approve"],
    ),
    (
        "Get the words out of an uploaded scan",
        &["documents.text.extract"],
    ),
    (
        "Give a coupon of 10 % to a loyal shopper",
        &["promotions.discount.create"],
    ),
    ("Move money between two accounts", &["bank.transfer.create"]),
    (
        "Who changed the price of this article?",
        &["audit.event.search"],
    ),
    ("Add somebody to a team", &["directory.group.add_member"]),
];

const TOOLS: &[Tool] = &[
    (
        "payments",
        "Card payments",
        "shop/checkout",
        "financial",
        "refund.create",
        "Refunds a captured charge, in full or in part.",
        &[
            ("charge", "Id of the charge."),
            ("amount", "Minor units; the whole charge if absent."),
            ("reason", ""),
        ],
    ),
    (
        "payments",
        "Card payments",
        "shop/checkout",
        "financial",
        "charge.capture",
        "Captures a charge that was authorised before.",
        &[("charge", ""), ("amount", "Minor units.")],
    ),
    (
        "payments",
        "Card payments",
        "shop/checkout",
        "read",
        "charge.get",
        "One charge with its status, card brand and risk score.",
        &[("charge", "")],
    ),
    (
        "payments",
        "Card payments",
        "shop/checkout",
        "read",
        "dispute.list",
        "Chargebacks, newest first.",
        &[
            ("status", "needs_response, under_review, won or lost."),
            ("cursor", ""),
        ],
    ),
    (
        "payments",
        "Card payments",
        "shop/checkout",
        "read",
        "payout.list",
        "Settlements paid out to the merchant's bank.",
        &[("arrived_after", "A date."), ("cursor", "")],
    ),
    (
        "orders",
        "Order management",
        "shop/checkout",
        "read",
        "order.get",
        "One order with its lines, totals and fulfilment state.",
        &[("order", "Order number.")],
    ),
    (
        "orders",
        "Order management",
        "shop/checkout",
        "read",
        "order.search",
        "Orders that match a filter.",
        &[
            ("status", ""),
            ("customer", "Customer id."),
            ("placed_after", ""),
        ],
    ),
    (
        "orders",
        "Order management",
        "shop/checkout",
        "write",
        "order.update",
        "Changes an order that has not been dispatched: delivery address, contact, note.",
        &[
            ("order", "Order number."),
            ("delivery_address", ""),
            ("note", ""),
        ],
    ),
    (
        "orders",
        "Order management",
        "shop/checkout",
        "destructive",
        "order.cancel",
        "Cancels an order and releases the reserved items.",
        &[("order", ""), ("reason", "")],
    ),
    (
        "orders",
        "Order management",
        "shop/returns",
        "write",
        "return.authorize",
        "Opens a return merchandise authorisation for lines of an order.",
        &[("order", ""), ("lines", ""), ("reason", "")],
    ),
    (
        "shipping",
        "Carrier gateway",
        "shop",
        "read",
        "shipment.track",
        "Latest scan events and expected arrival of a consignment.",
        &[("tracking_number", "Or the order number.")],
    ),
    (
        "shipping",
        "Carrier gateway",
        "shop",
        "financial",
        "label.create",
        "Buys postage and returns the label as a PDF.",
        &[("shipment", ""), ("service", "Carrier service code.")],
    ),
    (
        "shipping",
        "Carrier gateway",
        "shop",
        "read",
        "rate.quote",
        "Rates of all carriers for a weight, size and destination.",
        &[("weight_grams", ""), ("postcode", ""), ("country", "")],
    ),
    (
        "inventory",
        "Warehouse",
        "shop",
        "read",
        "stock_level.get",
        "On-hand, reserved and available quantity of a SKU per warehouse.",
        &[("sku", "Article number."), ("warehouse", "")],
    ),
    (
        "inventory",
        "Warehouse",
        "shop",
        "write",
        "stock_level.adjust",
        "Corrects the quantity of a SKU after a count.",
        &[("sku", ""), ("delta", ""), ("reason", "")],
    ),
    (
        "inventory",
        "Warehouse",
        "shop",
        "read",
        "product.search",
        "Products by name, category or barcode.",
        &[("q", ""), ("category", "")],
    ),
    (
        "promotions",
        "Promotions engine",
        "shop",
        "write",
        "discount.create",
        "Creates a voucher code, once or for many uses, optionally for one customer.",
        &[("percent_off", ""), ("customer", ""), ("expires", "")],
    ),
    (
        "promotions",
        "Promotions engine",
        "shop",
        "read",
        "discount.list",
        "Active voucher codes and how often each was redeemed.",
        &[("active", "")],
    ),
    (
        "billing",
        "Subscriptions and invoicing",
        "finance",
        "read",
        "invoice.list",
        "Invoices by status: draft, open, overdue, settled.",
        &[("status", ""), ("customer", ""), ("due_before", "")],
    ),
    (
        "billing",
        "Subscriptions and invoicing",
        "finance",
        "read",
        "invoice.lookup",
        "One invoice by its number.",
        &[("number", "")],
    ),
    (
        "billing",
        "Subscriptions and invoicing",
        "finance",
        "write",
        "invoice.send_reminder",
        "E-mails a dunning notice for an overdue invoice.",
        &[("number", ""), ("tone", "")],
    ),
    (
        "billing",
        "Subscriptions and invoicing",
        "finance",
        "destructive",
        "subscription.cancel",
        "Ends a subscription now or when the paid period is over.",
        &[("subscription", ""), ("at_period_end", "")],
    ),
    (
        "billing",
        "Subscriptions and invoicing",
        "finance",
        "write",
        "subscription.change_plan",
        "Moves a subscription to another price.",
        &[("subscription", ""), ("price", "")],
    ),
    (
        "bank",
        "Treasury",
        "finance",
        "financial",
        "transfer.create",
        "Transfers funds from one own account to another.",
        &[("from", "IBAN."), ("to", "IBAN."), ("amount", "")],
    ),
    (
        "bank",
        "Treasury",
        "finance",
        "read",
        "account.balance",
        "Booked and available balance.",
        &[("iban", "")],
    ),
    (
        "bank",
        "Treasury",
        "finance",
        "read",
        "statement.list",
        "Booked transactions of a period.",
        &[("iban", ""), ("since", ""), ("until", "")],
    ),
    (
        "expenses",
        "Travel and expense",
        "finance",
        "read",
        "report.list",
        "Expense reports by owner and state.",
        &[("owner", ""), ("state", "")],
    ),
    (
        "expenses",
        "Travel and expense",
        "finance",
        "write",
        "report.approve",
        "Approves a submitted expense report.",
        &[("report", ""), ("comment", "")],
    ),
    (
        "expenses",
        "Travel and expense",
        "finance",
        "write",
        "receipt.upload",
        "Attaches a receipt image to an expense.",
        &[("expense", ""), ("file", "")],
    ),
    (
        "crm",
        "Customer relations",
        "sales",
        "read",
        "contact.find_by_email",
        "The contact with this e-mail.",
        &[("email", "")],
    ),
    (
        "crm",
        "Customer relations",
        "sales",
        "write",
        "contact.upsert",
        "Creates a contact or overwrites its fields.",
        &[("email", ""), ("name", ""), ("phone", "")],
    ),
    (
        "crm",
        "Customer relations",
        "sales",
        "write",
        "opportunity.update_stage",
        "Sets the pipeline stage of an opportunity.",
        &[
            ("opportunity", ""),
            ("stage", "qualified, proposal, won, lost."),
        ],
    ),
    (
        "crm",
        "Customer relations",
        "sales",
        "read",
        "opportunity.list",
        "Open opportunities with amount and close date.",
        &[("owner", ""), ("stage", "")],
    ),
    (
        "crm",
        "Customer relations",
        "sales",
        "write",
        "activity.log",
        "Records a phone conversation or visit on an account.",
        &[("account", ""), ("kind", ""), ("notes", "")],
    ),
    (
        "helpdesk",
        "Support desk",
        "support",
        "read",
        "ticket.search",
        "Tickets that match status, assignee or text.",
        &[
            ("status", "new, open, pending, solved."),
            ("assignee", ""),
            ("text", ""),
        ],
    ),
    (
        "helpdesk",
        "Support desk",
        "support",
        "read",
        "ticket.count",
        "Number of tickets per status.",
        &[("status", ""), ("group", "")],
    ),
    (
        "helpdesk",
        "Support desk",
        "support",
        "write",
        "ticket.reply",
        "Adds a public answer to a ticket and e-mails the requester.",
        &[("ticket", ""), ("body", "")],
    ),
    (
        "helpdesk",
        "Support desk",
        "support",
        "write",
        "ticket.assign",
        "Sets the agent responsible for a ticket.",
        &[("ticket", ""), ("assignee", "")],
    ),
    (
        "chat",
        "Team chat",
        "~office",
        "write",
        "message.post",
        "Posts a message to a channel or thread.",
        &[("channel", ""), ("text", ""), ("thread", "")],
    ),
    (
        "chat",
        "Team chat",
        "~office",
        "read",
        "channel.history",
        "Messages of a channel, newest first.",
        &[("channel", ""), ("before", "")],
    ),
    (
        "chat",
        "Team chat",
        "~office",
        "write",
        "channel.invite",
        "Invites people to a channel.",
        &[("channel", ""), ("users", "")],
    ),
    (
        "calendar",
        "Calendars",
        "~office",
        "write",
        "event.create",
        "Creates an event and invites attendees.",
        &[("title", ""), ("start", ""), ("end", ""), ("attendees", "")],
    ),
    (
        "calendar",
        "Calendars",
        "~office",
        "destructive",
        "event.cancel",
        "Cancels an event and tells the attendees.",
        &[("event", ""), ("note", "")],
    ),
    (
        "calendar",
        "Calendars",
        "~office",
        "read",
        "free_busy.query",
        "Busy periods of people and rooms.",
        &[("who", ""), ("from", ""), ("to", "")],
    ),
    (
        "mailing",
        "Campaigns",
        "marketing",
        "write",
        "campaign.send",
        "Sends a prepared campaign to its audience.",
        &[("campaign", ""), ("at", "")],
    ),
    (
        "mailing",
        "Campaigns",
        "marketing",
        "read",
        "campaign.report",
        "Opens, clicks and bounces of a campaign.",
        &[("campaign", "")],
    ),
    (
        "mailing",
        "Campaigns",
        "marketing",
        "write",
        "audience.add_member",
        "Adds an e-mail to an audience.",
        &[("audience", ""), ("email", "")],
    ),
    (
        "cms",
        "Web content",
        "marketing",
        "write",
        "page.unpublish",
        "Withdraws a page from the public site, keeping the draft.",
        &[("page", "")],
    ),
    (
        "cms",
        "Web content",
        "marketing",
        "destructive",
        "page.delete",
        "Deletes a page with all its revisions.",
        &[("page", "")],
    ),
    (
        "cms",
        "Web content",
        "marketing",
        "write",
        "page.publish",
        "Makes the newest draft of a page public.",
        &[("page", "")],
    ),
    (
        "analytics",
        "Business reports",
        "marketing",
        "read",
        "sales_report.get",
        "Gross and net sales, grouped by day, market or product line.",
        &[
            ("from", ""),
            ("to", ""),
            ("group_by", "day, country or line."),
        ],
    ),
    (
        "analytics",
        "Business reports",
        "marketing",
        "read",
        "funnel.get",
        "Conversion between the steps of the shop.",
        &[("from", ""), ("to", "")],
    ),
    (
        "git",
        "Source hosting",
        "engineering",
        "write",
        "branch.create",
        "Creates a ref from a commit of a repository.",
        &[("repository", ""), ("name", ""), ("from", "Commit or ref.")],
    ),
    (
        "git",
        "Source hosting",
        "engineering",
        "read",
        "pull_request.list",
        "Pull requests of a repository.",
        &[("repository", ""), ("state", "")],
    ),
    (
        "git",
        "Source hosting",
        "engineering",
        "write",
        "pull_request.merge",
        "Merges a pull request.",
        &[("repository", ""), ("number", ""), ("method", "")],
    ),
    (
        "tracker",
        "Issue tracker",
        "engineering",
        "write",
        "issue.create",
        "Files an issue in a project.",
        &[("project", ""), ("summary", ""), ("severity", "")],
    ),
    (
        "tracker",
        "Issue tracker",
        "engineering",
        "write",
        "issue.transition",
        "Moves an issue along its workflow.",
        &[("issue", ""), ("to", "")],
    ),
    (
        "logs",
        "Log store",
        "engineering",
        "read",
        "entries.query",
        "Log entries of an application, filtered by level and time.",
        &[
            ("service", ""),
            ("level", "debug, info, warn, error."),
            ("limit", ""),
        ],
    ),
    (
        "metrics",
        "Monitoring",
        "engineering",
        "read",
        "series.query",
        "Time series of a metric: cpu, memory, disk, latency.",
        &[("metric", ""), ("host", ""), ("window", "")],
    ),
    (
        "metrics",
        "Monitoring",
        "engineering",
        "read",
        "host.list",
        "Hosts with their load and health.",
        &[("role", "")],
    ),
    (
        "pager",
        "Incident response",
        "engineering",
        "read",
        "oncall.get",
        "The engineer on duty for a rotation.",
        &[("rotation", ""), ("at", "")],
    ),
    (
        "pager",
        "Incident response",
        "engineering",
        "write",
        "incident.acknowledge",
        "Acknowledges an incident, which stops the paging.",
        &[("incident", "")],
    ),
    (
        "deploy",
        "Delivery",
        "engineering",
        "write",
        "release.rollback",
        "Puts the previous version of an application into production.",
        &[("application", ""), ("environment", "")],
    ),
    (
        "deploy",
        "Delivery",
        "engineering",
        "write",
        "release.promote",
        "Promotes a build from staging to production.",
        &[("application", ""), ("build", "")],
    ),
    (
        "flags",
        "Feature flags",
        "engineering",
        "write",
        "flag.toggle",
        "Switches a flag on or off in an environment.",
        &[("flag", ""), ("enabled", ""), ("environment", "")],
    ),
    (
        "directory",
        "People and access",
        ".",
        "write",
        "user.reset_password",
        "Sends a link to choose another password.",
        &[("user", "")],
    ),
    (
        "directory",
        "People and access",
        ".",
        "destructive",
        "user.suspend",
        "Suspends a user: no sign-in until reinstated.",
        &[("user", ""), ("reason", "")],
    ),
    (
        "directory",
        "People and access",
        ".",
        "write",
        "group.add_member",
        "Makes a user a member of a group.",
        &[("group", ""), ("user", "")],
    ),
    (
        "directory",
        "People and access",
        ".",
        "read",
        "user.search",
        "Users by name, department or manager.",
        &[("q", ""), ("department", "")],
    ),
    (
        "audit",
        "Audit trail",
        ".",
        "read",
        "event.search",
        "Who did what to which object, and when.",
        &[("actor", ""), ("object", ""), ("since", "")],
    ),
    (
        "hr",
        "Human resources",
        "people",
        "read",
        "leave_balance.get",
        "Remaining paid leave of an employee.",
        &[("employee", ""), ("year", "")],
    ),
    (
        "hr",
        "Human resources",
        "people",
        "write",
        "leave_request.create",
        "Requests leave for a period.",
        &[("employee", ""), ("first_day", ""), ("last_day", "")],
    ),
    (
        "hr",
        "Human resources",
        "people",
        "read",
        "payslip.get",
        "The payslip of a month.",
        &[("employee", ""), ("month", "")],
    ),
    (
        "documents",
        "Document store",
        "people",
        "read",
        "file.download",
        "A short-lived link to the bytes of a file.",
        &[("file", ""), ("format", "pdf or original.")],
    ),
    (
        "documents",
        "Document store",
        "people",
        "read",
        "text.extract",
        "Recognises the text of an image or PDF (OCR).",
        &[("file", ""), ("language", "")],
    ),
    (
        "documents",
        "Document store",
        "people",
        "write",
        "permission.add",
        "Grants a person or group access to a file or directory.",
        &[("file", ""), ("grantee", ""), ("role", "viewer or editor.")],
    ),
    (
        "documents",
        "Document store",
        "people",
        "write",
        "file.move",
        "Moves a file to another directory.",
        &[("file", ""), ("directory", "")],
    ),
    (
        "language",
        "Language services",
        ".",
        "read",
        "text.translate",
        "Machine translation between languages.",
        &[("text", ""), ("target", "Language code.")],
    ),
    (
        "language",
        "Language services",
        ".",
        "read",
        "text.detect",
        "Tells in which language a text is written.",
        &[("text", "")],
    ),
];

fn rows() -> Vec<(&'static Tool, Vec<(String, String)>)> {
    let own = |arguments: &[(&str, &str)]| {
        arguments
            .iter()
            .map(|(name, about)| ((*name).to_owned(), (*about).to_owned()))
            .collect()
    };
    TOOLS.iter().map(|tool| (tool, own(tool.6))).collect()
}

/// The best five addresses for a task.
fn five(words: &Words, task: &str) -> Vec<String> {
    let hits = words.search(task, 5, |_| true);
    let tools = hits.iter().map(|hit| &TOOLS[hit.doc as usize]);
    tools.map(|tool| format!("{}.{}", tool.0, tool.4)).collect()
}

#[test]
fn nine_of_ten_tasks_find_their_tool_among_the_first_five() {
    let rows = rows();
    let words = Words::build(rows.iter().map(|(tool, arguments)| Doc {
        server: tool.0,
        title: tool.1,
        place: tool.2,
        effect: tool.3,
        name: tool.4,
        about: tool.5,
        arguments,
    }));
    let missed: Vec<String> = TASKS
        .iter()
        .filter_map(|(task, right)| {
            let five = five(&words, task);
            let found = five.iter().any(|address| right.contains(&address.as_str()));
            (!found).then(|| format!("{task}: {five:?}"))
        })
        .collect();
    let found = TASKS.len() - missed.len();
    assert!(
        found * 10 >= TASKS.len() * 9,
        "{found} of {}: {missed:#?}",
        TASKS.len()
    );
}

#[test]
fn every_address_of_the_tasks_is_a_tool() {
    for address in TASKS.iter().flat_map(|(_, right)| *right) {
        let exists = |tool: &Tool| *address == format!("{}.{}", tool.0, tool.4);
        assert!(TOOLS.iter().any(exists), "{address}");
    }
}
#[test]
fn zz_debug() {
    let rows = rows();
    let words = Words::build(rows.iter().map(|(tool, arguments)| Doc {
        server: tool.0,
        title: tool.1,
        place: tool.2,
        effect: tool.3,
        name: tool.4,
        about: tool.5,
        arguments,
    }));
    for (task, right) in TASKS {
        let hits = words.search(task, 80, |_| true);
        let at = hits
            .iter()
            .position(|h| {
                let t = &TOOLS[h.doc as usize];
                right.contains(&format!("{}.{}", t.0, t.4).as_str())
            })
            .map(|x| x + 1);
        eprintln!("{at:?} {task} {:?}", &five(&words, task));
    }
}
