// ViewerAssetsTool FOLDER OUTPUT FILE…: writes a Swift file with each file in base64 by its path below the folder.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
    FileHandle.standardError.write(Data("usage: ViewerAssetsTool FOLDER OUTPUT FILE…\n".utf8))
    exit(64)
}
let lines = try arguments[3...].map { path in
    let data = try Data(contentsOf: URL(filePath: path))
    return "        \"\(path.dropFirst(arguments[1].count + 1))\": \"\(data.base64EncodedString())\","
}
let text = """
    /// The files of the viewer in base64, by their paths below `viewer/`.
    enum ViewerAssets {
        static let files: [String: StaticString] = [
    \(lines.joined(separator: "\n"))
        ]
    }

    """
try text.write(to: URL(filePath: arguments[2]), atomically: true, encoding: .utf8)
