-- | The arguments of the Haskell solutions of binary-trees, and their report.
module Main (main) where

import Control.Exception (IOException, try)
import Control.Monad (forM_, unless)
import Data.Char (isDigit)
import Data.List (find, intercalate, stripPrefix)
import Data.Maybe (fromMaybe)
import GHC.Conc (getNumProcessors, setNumCapabilities)
import GHC.Stats (RTSStats (..), getRTSStats, getRTSStatsEnabled)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hFlush, hPutStrLn, stderr, stdout)
import System.Mem (performMinorGC)
import Text.Read (readMaybe)

import Trees (Strategy (..), run, strategies)

data Arguments = Arguments
  { strategy :: Strategy
  , workers :: Maybe Int
  , report :: Maybe FilePath
  , depth :: Int
  }

main :: IO ()
main = do
  arguments <- getArgs
  case parse arguments of
    Left mistake -> end 2 (mistake ++ "; " ++ usage)
    Right a -> do
      done <- try (solve a)
      case done of
        Left e -> end 1 (show (e :: IOException))
        Right () -> return ()

end :: Int -> String -> IO ()
end code what = hPutStrLn stderr ("trees: " ++ what) >> exitWith (ExitFailure code)

usage :: String
usage =
  "usage: trees STRATEGY [-workers=N] [-report=FILE] DEPTH, with STRATEGY "
    ++ intercalate ", " (map name strategies)

parse :: [String] -> Either String Arguments
parse [] = Left "no strategy given"
parse (chosen : rest) = case find ((== chosen) . name) strategies of
  Nothing -> Left ("no strategy " ++ show chosen)
  Just s -> parseFlags (Arguments s Nothing Nothing 0) rest

parseFlags :: Arguments -> [String] -> Either String Arguments
parseFlags a (word : rest)
  | Just n <- stripPrefix "-workers=" word = case whole 1 4096 n of
      Nothing -> Left (word ++ " is not a whole number from 1 to 4096")
      found -> parseFlags a{workers = found} rest
  | Just file <- stripPrefix "-report=" word =
      if null file then Left "-report= names no file" else parseFlags a{report = Just file} rest
parseFlags a [word] = case whole 0 40 word of
  Nothing -> Left ("depth " ++ show word ++ " is not a whole number from 0 to 40")
  Just d -> Right a{depth = max 6 d}
parseFlags _ [] = Left "no depth given"
parseFlags _ (_ : word : _) = Left ("unexpected argument " ++ show word ++ " after the depth")

whole :: Int -> Int -> String -> Maybe Int
whole least greatest text = case readMaybe text :: Maybe Integer of
  Just n | all isDigit text && toInteger least <= n && n <= toInteger greatest -> Just (fromInteger n)
  _ -> Nothing

solve :: Arguments -> IO ()
solve a = do
  processors <- getNumProcessors
  let n = fromMaybe processors (workers a)
  unless (ownThreads (strategy a)) $ setNumCapabilities (min n processors)
  run (strategy a) n (depth a)
  hFlush stdout
  forM_ (report a) writeReport

-- | What the runtime has allocated and collected since the program started.
writeReport :: FilePath -> IO ()
writeReport file = do
  enabled <- getRTSStatsEnabled
  unless enabled $ ioError (userError "a -report needs +RTS -T")
  performMinorGC -- the figures are those of the last collection
  s <- getRTSStats
  writeFile file $
    "{\"bytes\": " ++ show (allocated_bytes s)
      ++ ", \"gc_cycles\": " ++ show (gcs s)
      ++ ", \"gc_major_cycles\": " ++ show (major_gcs s)
      ++ ", \"gc_cpu_s\": " ++ show (fromIntegral (gc_cpu_ns s) / 1e9 :: Double)
      ++ "}\n"
