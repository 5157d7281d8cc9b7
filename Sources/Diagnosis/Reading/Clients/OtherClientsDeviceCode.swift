import Flows
import JOSE
import JSON
import OAuth

/// A device's code, asked about by another client (RFC 8628, section 3.4).
enum OtherClientsDeviceCode {
    static func violation(in flow: Flow) -> Violation? {
        for call in ClientCall.all(in: flow) where call.kind == .deviceAuthorization {
            guard let code = call.answer.parameters["device_code"], !Placeholder.isOne(code),
                let asked = call.authentication.clientID, !asked.value.isEmpty
            else { continue }
            for request in flow.tokenRequests
            where request.parameters["device_code"] == code && request.isRefusedToClient
                && !request.isRefused(with: "expired_token")
            {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !sent.value.equalsBytes(of: asked.value)
                else { continue }
                return Violation(
                    [
                        Evidence(asked, note: "the client the device code was issued to"),
                        Evidence(sent, note: "the client that asks for the tokens"),
                        request.answer.evidence(),
                    ],
                    explanation: """
                        The device code was issued to one client_id, the request for the tokens names another. A code belongs to the client that \
                        asked for it.
                        """,
                    exchange: request.exchange
                )
            }
        }
        return nil
    }
}
