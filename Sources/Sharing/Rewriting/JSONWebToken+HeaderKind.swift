import JOSE
import JSON

extension JSONWebToken {
    /// What its first part is read as: without `alg` (RFC 7515, section 4.1.1) it is no header of a token, but what Flask and
    /// its like keep of a session in front of a time and a signature.
    var headerKind: TextKind { header?["alg"] == nil ? .claims : .json }
}
