import Captures
import Flows
import JOSE
import OAuth

/// Metadata in force that name another issuer than the one they were asked for under (OpenID Connect Discovery, section 4.3; RFC 8414,
/// section 3.3).
struct MisnamedMetadata: Sendable {
    /// As it was recorded.
    let recorded: MetadataDocument
    /// As the client asked for it, which a proxy may have changed.
    let document: MetadataDocument
    let named: Parameter
    let issuer: NamedIssuer

    private init?(_ recorded: MetadataDocument, except readRightly: Set<[UInt8]>, in flow: Flow) {
        guard recorded.isUsable, let document = recorded.asAsked(in: flow.capture),
            let named = document.answer.parameters.parameter("issuer"),
            !readRightly.contains(Array(named.value.utf8))
        else { return nil }
        let issuer = NamedIssuer(named.value, in: document)
        guard issuer.isOther else { return nil }
        self.recorded = recorded
        self.document = document
        self.named = named
        self.issuer = issuer
    }

    /// In order of time.
    static func all(in flow: Flow) -> [MisnamedMetadata] { flow.derived.value { Known(in: flow) }.list }

    private struct Known: Sendable {
        let list: [MisnamedMetadata]

        init(in flow: Flow) {
            let readRightly = MisnamedMetadata.readRightly(in: flow)
            list = flow.metadataInForce.compactMap { MisnamedMetadata($0, except: readRightly, in: flow) }
        }
    }

    /// The issuers, in bytes, whose document was read at its own address, too: another program's, or the same request as seen in
    /// front of a balancer.
    private static func readRightly(in flow: Flow) -> Set<[UInt8]> {
        let issuers = flow.serverMetadata.compactMap { document -> [UInt8]? in
            guard document.isUsable, let issuer = document.issuer,
                let asked = document.asAsked(in: flow.capture), !NamedIssuer(issuer, in: asked).isOther,
                flow.wentOn(after: document)
            else { return nil }
            return Array(issuer.utf8)
        }
        return Set(issuers)
    }
}

extension Flow {
    /// Whether metadata are another server's than was asked, or were refused for the name they have: a client stops at them for that,
    /// whatever else they lack.
    ///
    /// A name that was taken out of the capture tells of nothing.
    var isMetadataOfAnother: Bool {
        let misnamed = MisnamedMetadata.all(in: self)
        return misnamed.isEmpty
            ? RefusedIssuer.violation(in: self) != nil
            : misnamed.allSatisfy { !Placeholder.isTakenOut($0.named.value) }
    }
}
