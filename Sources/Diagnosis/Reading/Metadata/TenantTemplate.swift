import Captures
import Flows
import OAuth

/// The template that Entra's metadata for the users of all tenants have in place of an issuer.
enum TenantTemplate {
    /// Where an app on a device read the document and went no further: a note, for there are libraries that know the template.
    static func violation(in flow: Flow) -> Violation? {
        for document in flow.serverMetadata where document.isUsable {
            guard let named = document.answer.parameters.parameter("issuer"),
                IssuerTemplate.isOne(named.value),
                // Microsoft's own library says who it is, and knows the template.
                !flow.capture[document.exchange].request.headers.contains("x-client-sku"),
                let seen = flow.sighting(ofAppThatStoppedAt: document)
            else { continue }
            return Violation(
                [document.urlEvidence, Evidence(named, note: "a template, and no URL"), seen],
                severity: .note,
                explanation: """
                    An app read the metadata that Entra has for the users of all tenants, and opened no login. The issuer in them is a template. Libraries that do \
                    not know of that refuse the document; AppAuth on iOS finds that it is no URL ("Invalid URL: issuer"), on Android it takes it.
                    """,
                fix: """
                    Have the app read the metadata of its own tenant (the tenant's id in the place of "common"). Where users of all tenants sign in, give it the \
                    endpoints by hand, or use MSAL, which knows the template.
                    """,
                title: "The issuer in the metadata is a template, and the app stopped there",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// Where a client that does not know of it refused the document; `work`: the app's request that failed then.
    static func violation(_ named: Parameter, _ document: MetadataDocument, _ work: Int, _ flow: Flow)
        -> Violation
    {
        Violation(
            [
                document.urlEvidence, Evidence(named, note: "a template, and no client's issuer"),
                Evidence(
                    place: Place(exchange: work, part: .responseStatus, name: ""),
                    value: flow.capture[work].response.map { "\($0.status)" } ?? "no answer",
                    note: "the app had read the metadata, and went no further"
                ),
            ],
            severity: .error,
            explanation: """
                The metadata are those for the users of all tenants, and name a template where the issuer belongs. A client that compares the name with its \
                own setting, as it has to, refuses them; this one read them, asked for nothing more, and the app failed.
                """,
            fix: """
                Configure the client with the tenant's own address: https://login.microsoftonline.com/TENANT-ID/v2.0, in place of common or organizations. An \
                app for several tenants needs a library, or a setting, that knows the template and compares each ID token's issuer with its tenant.
                """,
            title: "The metadata for all tenants name no issuer that a client could compare",
            exchange: document.exchange
        )
    }
}
