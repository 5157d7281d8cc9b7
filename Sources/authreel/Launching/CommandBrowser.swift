import Captures
import Foundation

/// What a command opens pages with: the browser that is recorded, in place of the user's own.
///
/// Clients on the command line have their users sign in by a browser that they start (RFC 8252, section 7.3): the one that
/// `BROWSER` names, or by one of the system's openers.
struct CommandBrowser: Hashable {
    /// What goes in front of the command's `PATH`.
    let folder: String
    /// For the command's `BROWSER`.
    var program: String { "\(folder)/\(Self.names[0])" }

    #if os(macOS)
    static let names = ["open"]
    #else
    static let names = ["xdg-open", "x-www-browser", "www-browser", "sensible-browser"]
    #endif

    /// Writes the openers.
    ///
    /// - Parameters:
    ///   - folder: of the run.
    ///   - opening: of ``BrowserLauncher/openingScript(in:route:)``.
    ///   - searchPath: where the system's own are, for what is no page.
    /// - Returns: where they are.
    /// - Throws: ``CommandFailure`` when they cannot be written.
    static func write(to folder: RunFolder, opening: String, searchPath: String) throws -> CommandBrowser {
        let text = script(opening: opening, searchPath: searchPath)
        for name in names {
            let file = try folder.write(text.utf8, to: "openers/\(name)", isPublic: true)
            chmod(file, 0o755)
        }
        return CommandBrowser(folder: folder.file("openers"))
    }

    /// The text of each: the command goes on at once, as with any other opener.
    static func script(opening: String, searchPath: String) -> String {
        """
        #!/bin/sh
        # Made by authreel for one run: pages are opened in the browser that it records, anything else as ever.
        page=
        for word; do
            case $word in http://* | https://*) page=$word ;; esac
        done
        if [ -z "$page" ]; then
            PATH=\(searchPath.quotedForShell)
            exec "${0##*/}" "$@"
        fi
        if [ -z "$\(BrowserLauncher.mark)" ]; then
            \(BrowserLauncher.mark)=1 exec "$0" "$page"
        fi
        (
        \(opening)
        ) < /dev/null > /dev/null 2>&1 &

        """
    }
}

extension String {
    /// As one word of a shell's line.
    var quotedForShell: String { "'" + replacingBytes("'", with: "'\\''") + "'" }
}
