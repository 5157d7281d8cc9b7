extension RecordedURL {
    /// The URL that a `Location`, an `action` or a `Refresh` means when it stands in an answer of this URL
    /// (RFC 3986, section 5.2).
    package func resolving(_ reference: String) -> RecordedURL {
        let target = RecordedURL(reference)
        guard target.scheme == nil, let scheme else { return target.withoutDots }
        if target.authority != nil { return RecordedURL("\(scheme):\(reference)") }
        let base = "\(scheme):" + (authority.map { "//\($0)" } ?? "")
        let tail = (target.query.map { "?\($0)" } ?? "") + (target.fragment.map { "#\($0)" } ?? "")
        if target.path.isEmpty {
            return RecordedURL(base + path + (target.query == nil ? query.map { "?\($0)" } ?? "" : "") + tail)
        }
        if target.path.utf8.first == 0x2f { return RecordedURL(base + Self.withoutDots(target.path) + tail) }
        let folder = path.utf8.lastIndex(of: 0x2f).map { String(path[...$0]) } ?? "/"
        return RecordedURL(base + Self.withoutDots(folder + target.path) + tail)
    }

    /// As a browser asks for it: an absolute URL may have such segments as well.
    private var withoutDots: RecordedURL {
        guard isWeb, let scheme, let authority, path.containsBytes("/.") else { return self }
        let tail = (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
        return RecordedURL("\(scheme)://\(authority)\(Self.withoutDots(path))\(tail)")
    }

    /// Section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        guard path.utf8.contains(0x2e) else { return path }
        var output: [String] = []
        let segments = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment == "." {
                if isLast { output.append("") }
            } else if segment == ".." {
                if output.count > 1 { output.removeLast() }
                if isLast { output.append("") }
            } else {
                output.append(segment)
            }
        }
        return output.joined(separator: "/")
    }
}

extension RecordedRequest {
    /// What a reference in the answer means, by the bytes of both.
    ///
    /// - Returns: the URL, and whether its bytes are no UTF-8 (``isURLLatin1`` of a request for it).
    package func resolving(_ reference: SentText) -> (url: RecordedURL, isLatin1: Bool) {
        guard isURLLatin1 || reference.isLatin1 else { return (url.resolving(reference.text), false) }
        let base = RecordedURL(SentText(url.text, isLatin1: isURLLatin1).asLatin1.text)
        let target = base.resolving(reference.asLatin1.text)
        // What is left of the two may be UTF-8.
        let sent = SentText(target.text, isLatin1: true).bytes.withUnsafeBufferPointer { SentText($0) }
        return sent.isLatin1 ? (target, true) : (RecordedURL(sent.text), false)
    }
}
