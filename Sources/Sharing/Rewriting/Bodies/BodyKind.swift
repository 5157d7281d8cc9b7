import Captures

/// Tells what a body is from its media type and its look.
enum BodyKind {
    /// What a body is: what its media type says where it looks like that, and what it looks like where it does not.
    static func kind(of mediaType: String, _ bytes: [UInt8]) -> TextKind {
        let type = mediaType.lowercased()
        let look = TextKind.guessed(bytes[...])
        if type.hasPrefix("multipart/") {
            let boundary = MultipartForm.boundary(of: mediaType) ?? TextKind.boundary(in: bytes[...]) ?? []
            let isThere = ByteSearch.index(of: [0x2d, 0x2d] + boundary, in: bytes) != nil
            return isThere && !boundary.isEmpty ? .multipart(boundary: boundary) : look
        }
        if case .multipart = look { return look }
        let opensDocument = TextKind.opensDocument(bytes[...])
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return opensDocument || look == .html ? look : .form
        }
        if type.contains("html") || type.contains("xml") {
            return opensDocument || !bytes.contains(0x3c) ? look : .html
        }
        // The addresses in a style sheet are read as those in a page's own.
        if type.hasPrefix("text/css") { return opensDocument ? look : .html }
        // A table whose names stand in quotation marks.
        if type.contains("csv") || type.contains("tab-separated") { return opensDocument ? look : .text }
        if type.contains("json") { return look == .html || look == .form || look == .url ? look : .json }
        if type.contains("javascript") {
            // `a=b&&c(d)` is a script.
            let isCode = bytes.contains { [0x20, 0x22, 0x27, 0x28, 0x3b, 0x60, 0x7b].contains($0) }
            return look == .html || look == .form && !isCode ? look : .json
        }
        return look
    }

    /// Some tools say so of bodies that are not.
    static func mayBeBase64(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte <= 0x20
                || [0x2b, 0x2d, 0x2f, 0x3d, 0x5f].contains(byte)
        }
    }
}
