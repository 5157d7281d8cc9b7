import { element } from "#viewer/dom.js";
import { count, duration } from "#viewer/words.js";

/** @returns {string} what a list says of a flow */
export function summary(flow) {
  const primary = flow.findings.find((finding) => finding.primary) ?? flow.findings[0];
  return primary ? primary.title : "nothing wrong found";
}

/**
 * The logins of a capture.
 *
 * @param {import("#viewer/report.js").Report} report
 * @param {string | null} chosen
 * @param {(flow: string) => void} choose
 * @returns {HTMLElement}
 */
export function overview(report, chosen, choose) {
  const told = new Set(report.flows.flatMap((flow) => flow.exchanges));
  const others = report.exchanges.length - told.size;
  return element(
    "nav",
    { class: "overview", "aria-label": "Logins" },
    report.flows.length === 0 ? element("p", {}, "No login in this capture.") : null,
    element(
      "ul",
      {},
      ...report.flows.map((flow) =>
        element(
          "li",
          {},
          element(
            "button",
            {
              type: "button", class: flow.outcome, "aria-current": flow.id === chosen ? "true" : null,
              on: { click: () => choose(flow.id) },
            },
            element("b", {}, `${flow.id} · ${flow.outcome}`),
            element("span", {}, [flow.provider, flow.client_id ? `client ${flow.client_id}` : null].filter(Boolean).join(" · ")),
            element("span", {}, [flow.grant, flow.duration === null ? null : duration(flow.duration / 1000)].filter(Boolean).join(" · ")),
            element("span", { class: "first" }, summary(flow)),
          ),
        ),
      ),
    ),
    element("p", { class: "nothing" }, others > 0 ? `${count(others, "exchange")} belong${others === 1 ? "s" : ""} to no login.` : ""),
  );
}
